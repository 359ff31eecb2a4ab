package capture

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"agentrecon/recon"
)

// A Vector is one line of a vector file: an event and the id that the hooks in Python gave it. The members of
// the line are name, raw_b64 (the event's bytes), source ("fallback", "tool_use_id" or "error"), attempt_id and,
// where something was hashed, canonical (the very bytes).
type Vector struct {
	Name      string
	Raw       []byte
	Source    string
	AttemptID string
	Canonical string
}

// ParseVector reads a line of a vector file.
func ParseVector(line []byte) (v Vector, err error) {
	object, err := Decode(line)
	if err != nil {
		return v, err
	}
	text := func(name string) string {
		member, _ := object.Get(name)
		return member.Text
	}
	v = Vector{Name: text("name"), Source: text("source"), AttemptID: text("attempt_id"), Canonical: text("canonical")}
	if v.Name == "" || v.Source == "" {
		return v, fmt.Errorf("field %q or %q is missing: not a line of a vector file", "name", "source")
	}
	v.Raw, err = base64.StdEncoding.DecodeString(text("raw_b64"))
	return v, err
}

// Check compares [Original] with the vector and returns what differs, or nil. Where Python died an id is accepted
// if it is one of the extensions that cannot meet another event's id by accident: a byte order mark is ignored, whole
// numbers may have more than 4,300 digits, and values may nest as deep as in the Python that goes deepest.
func (v Vector) Check() error {
	var (
		id        string
		source    recon.IDSource
		canonical []byte
	)
	event, err := Decode(v.Raw)
	if err == nil {
		id, source, canonical, err = Original(event)
	}
	switch {
	case v.Source == "error":
		if err != nil || bytes.HasPrefix(v.Raw, []byte("\ufeff")) || longestDigits(v.Raw) > 4300 || deep(v.Raw) {
			return nil
		}
		return fmt.Errorf("%s: got id %s, want an error", v.Name, id)
	case err != nil:
		return fmt.Errorf("%s: %w, want id %s", v.Name, err, v.AttemptID)
	case v.Canonical != "" && string(canonical) != v.Canonical:
		return fmt.Errorf("%s: hashed %.200q, want %.200q", v.Name, canonical, v.Canonical)
	case id != v.AttemptID || source != vectorSources[v.Source]:
		return fmt.Errorf("%s: got %s %s, want %s %s", v.Name, source, id, v.Source, v.AttemptID)
	default:
		return nil
	}
}

var vectorSources = map[string]recon.IDSource{"fallback": recon.IDFallbackHash, "tool_use_id": recon.IDToolUse}

func longestDigits(b []byte) (longest int) {
	for len(b) > 0 {
		n := countDigits(b)
		longest = max(longest, n)
		b = b[min(n+1, len(b)):]
	}
	return longest
}

// deep reports whether values may nest deeper than every Python goes.
func deep(b []byte) bool { return bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > 900 }

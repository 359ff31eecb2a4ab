package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"agentrecon/recon"
)

// ErrNotCall is wrapped by [Original] where the hooks in Python died on an event that is valid JSON.
var ErrNotCall = errors.New("not an event of a tool call")

// maxIDBytes bounds what is stored as an id: longer ones would not fit into an index, and no harness has them.
const maxIDBytes = 512

// Original is the id that the original pair of hooks, written in Python, gave the event: its tool_use_id if that
// is true in Python's sense, else the fallback hash. canonical is what was hashed, nil for a tool_use_id. Rows of
// old databases carry these ids; [Rules.Read] gives the same ones but for weak ids.
func Original(event Value) (id string, source recon.IDSource, canonical []byte, err error) {
	if event.Kind != Object {
		return "", "", nil, fmt.Errorf("%w: the event is no object", ErrNotCall)
	}
	given, _ := event.Get("tool_use_id")
	if given.Truthy() && given.Kind == String {
		return given.Text, recon.IDToolUse, nil, nil
	}
	var parts [3]Value
	for i, name := range [...]string{"session_id", "tool_name", "tool_input"} {
		v, ok := event.Get(name)
		if !ok {
			return "", "", nil, fmt.Errorf("%w: field %q is missing", ErrNotCall, name)
		}
		parts[i] = v
	}
	canonical = AppendCanonical(nil, Value{Kind: List, Items: parts[:]})
	return digest(canonical), recon.IDFallbackHash, canonical, nil
}

// call is what ids are made of.
type call struct {
	session, tool, id, args Value
	idGiven                 bool // the harness gave an id that is a string and not empty
}

// identity is how one call is known.
type identity struct {
	attemptID  string
	source     recon.IDSource
	argsSHA256 string
	// key is the idempotency key that the recorder gives the call: "ag" and 32 hexadecimal digits, which every
	// rail accepts (an HTTP header, an x402 id, an EndToEndId of 35 characters).
	key string
}

func (c call) identify() identity {
	i := identity{argsSHA256: digest(canonicalList(c.session, c.tool, c.args))}
	switch {
	case !c.idGiven:
		i.source, i.attemptID = recon.IDFallbackHash, i.argsSHA256
	case weakID(c.id.Text, c.tool.Text):
		i.source, i.attemptID = recon.IDWeakToolUse, digest(canonicalList(c.session, c.id, c.args))
	default:
		i.source, i.attemptID = recon.IDToolUse, c.id.Text
		// Not over the arguments: the same call with changed arguments must be a conflict at the gateway, not a
		// second payment.
		i.key = "ag" + digest(canonicalList(c.session, c.id))[:32]
		return i
	}
	i.key = "ag" + i.attemptID[:32]
	return i
}

func canonicalList(items ...Value) []byte {
	return AppendCanonical(nil, Value{Kind: List, Items: items})
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// minStrongID is the length below which an id cannot be unique by chance.
const minStrongID = 12

// weakID reports whether another call may come with the same id, or whether the id cannot be stored as it is.
func weakID(id, tool string) bool {
	return len(id) < minStrongID || len(id) > maxIDBytes || id == tool ||
		!utf8.ValidString(id) || strings.ContainsRune(id, 0) ||
		countsWithinTurn(id)
}

// countsWithinTurn recognises ids that count calls, and begin again with the next turn: a tool's name, a colon and a
// number; or call_ and one or two numbers. No regular expressions, for they are made at each start of a hook.
func countsWithinTurn(id string) bool {
	if name, count, ok := strings.Cut(id, ":"); ok {
		return isToolName(name) && allDigits(count)
	}
	counts, ok := strings.CutPrefix(id, "call_")
	first, second, two := strings.Cut(counts, "_")
	return ok && allDigits(first) && (!two || allDigits(second))
}

func isToolName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', c == '_':
		case i > 0 && ('0' <= c && c <= '9' || c == '.' || c == '-'):
		default:
			return false
		}
	}
	return s != ""
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// storable makes a text that PostgreSQL takes: U+0000 and lone surrogates, which it refuses, are shown as escapes,
// and what is longer than limit bytes is cut at a character.
func storable(s string, limit int) string {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		var b strings.Builder
		for i := 0; i < len(s); {
			r, size := decodeWTF8(s[i:])
			if r == 0 || isSurrogate(r) {
				b.Write(appendUnit(nil, r))
			} else {
				b.WriteRune(r)
			}
			i += size
		}
		s = b.String()
	}
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	return s
}

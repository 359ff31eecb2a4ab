package mt940

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
)

// maxField bounds the text of one field; the standard has 390 characters, banks go to some thousands.
const maxField = 64 << 10

// maxOutside bounds the lines between fields, which are empty or what a bank puts around its messages.
const maxOutside = 10_000

// field is one tagged field with the lines it goes on for.
type field struct {
	tag   string // "61", "60F"
	line  int
	lines []string
}

func (f *field) text() string { return strings.Join(f.lines, "") }

// Tags of the standard, and the message numbers that one bank writes as tags. A line that begins with a
// colon and none of these goes on with the field before.
var tagPattern = regexp.MustCompile(`^:(13D?|20|21|25P?|28C?|34F|60[FM]|61|62[FM]|64|65F?|86|90[CD]|940|942|NS):`)

// bareTag is a balance whose tag lacks its second colon.
var bareTag = regexp.MustCompile(`^:(6[02][FM])([CD]\d{6}[A-Z]{3})`)

// blockPattern is the envelope of the network up to the text block.
var blockPattern = regexp.MustCompile(`^(\{[^{}]*(\{[^{}]*\}[^{}]*)*\})*\{4:`)

// fields cuts a file into fields.
type fields struct {
	name    string
	in      *lines.Reader
	pending []pendingLine // of one physical line
	next    field
	open    bool // next is begun
	size    int
	found   bool   // any tag at all
	outside int    // lines in a row that belong to no field
	last    string // the last line that is not empty, as it stands in the file
}

type pendingLine struct {
	text string
	no   int
}

// read returns the next field, or io.EOF.
func (f *fields) read() (field, error) {
	for {
		line, no, err := f.line()
		if errors.Is(err, io.EOF) && f.open {
			f.open = false
			return f.next, nil
		}
		if err != nil {
			return field{}, err
		}
		if isEnd(line) {
			if f.open {
				f.open = false
				return f.next, nil
			}
			continue
		}
		var m []string
		if strings.HasPrefix(line, ":") { // most lines go on with a text
			if m = tagPattern.FindStringSubmatch(line); m == nil && bareTag.MatchString(line) {
				line = line[:len(":62F")] + ":" + line[len(":62F"):]
				m = tagPattern.FindStringSubmatch(line)
			}
		}
		if m == nil || f.isTime(m[1], line[len(m[0]):]) {
			if err := f.append(line, no); err != nil {
				return field{}, err
			}
			continue
		}
		done, had := f.next, f.open
		f.next = field{tag: m[1], line: no, lines: []string{line[len(m[0]):]}}
		f.open, f.found, f.size, f.outside = true, true, len(line), 0
		if had {
			return done, nil
		}
	}
}

var twoDigits = regexp.MustCompile(`^\d{2}(\D|$)`)

// isTime reports whether what looks like a field is the rest of a time of day in a text that was cut at its
// full length: "03" and, on the next line, ":20:15 Uhr".
func (f *fields) isTime(tag, rest string) bool {
	if !f.open || f.next.tag != "86" || len(tag) != 2 || tag > "59" || !twoDigits.MatchString(rest) {
		return false
	}
	const nearlyFull = fullLine - 5 // the line holds the field's tag as well
	last := len(f.next.lines) - 1
	return len(f.next.lines[last]) >= nearlyFull
}

// append goes on with the open field. Lines outside fields are what banks put around messages.
func (f *fields) append(line string, no int) error {
	if !f.open || line == "" {
		if f.outside++; f.outside > maxOutside {
			return &tabular.FileError{File: f.name, Line: no, Reason: fmt.Sprintf("%d lines without a field of MT940; is this an MT940 file?", maxOutside)}
		}
		return nil
	}
	if f.size += len(line); f.size > maxField {
		return &tabular.FileError{File: f.name, Line: no, Reason: fmt.Sprintf("a field longer than %d bytes; is this an MT940 file?", maxField)}
	}
	f.next.lines = append(f.next.lines, line)
	return nil
}

// cutPattern is a line that stops within a tag or within a block of the envelope before the text.
var cutPattern = regexp.MustCompile(`^(:\d{0,2}[A-Z]?|(.*\})?\{[1-4]:[^{}]*)$`)

// cut reports whether the file stops where a field or a message begins.
func (f *fields) cut() bool {
	last := strings.TrimFunc(f.last, func(r rune) bool { return r <= ' ' })
	outside := strings.HasPrefix(last, "{") && !strings.HasPrefix(last, "{5:") && !strings.Contains(last, "{4:")
	return outside || cutPattern.MatchString(last)
}

// line returns the next line without envelope. One bank writes @@ for line ends.
func (f *fields) line() (string, int, error) {
	for len(f.pending) == 0 {
		line, err := f.in.Next()
		if err != nil {
			return "", 0, err
		}
		no := f.in.No()
		if strings.TrimSpace(line) != "" {
			f.last = line
		}
		if !strings.HasPrefix(line, "@@:") && !strings.Contains(line, "@@:") {
			return unwrapped(line), no, nil
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(line, "@@"), "@@") {
			f.pending = append(f.pending, pendingLine{unwrapped(part), no})
		}
	}
	first := f.pending[0]
	f.pending = f.pending[1:]
	return first.text, first.no, nil
}

// unwrapped removes control characters and the envelope from the beginning of a line.
func unwrapped(line string) string {
	line = strings.TrimLeftFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == '\ufeff' })
	line = strings.TrimRight(line, " \t\x00\x03\x1a")
	if strings.HasPrefix(line, "-}{") {
		line = strings.TrimPrefix(line, "-}")
	}
	if strings.HasPrefix(line, "{") {
		if at := blockPattern.FindString(line); at != "" {
			return line[len(at):]
		}
		if strings.HasPrefix(line, "{1:") || strings.HasPrefix(line, "{2:") || strings.HasPrefix(line, "{3:") {
			return ""
		}
	}
	return line
}

// isEnd reports whether a line ends a message. A line of text may begin with a hyphen, too.
func isEnd(line string) bool {
	return line == "-" || line == "-}" || strings.HasPrefix(line, "-}{5:")
}

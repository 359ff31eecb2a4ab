// Package detect tells the formats of ledger files apart by what is in them, never by their names: what
// banks call .xls is an Excel workbook, a CSV or an HTML page. It reads those it has a reader for, and
// names the others, with what to do about them.
//
// The formats are one table, [Formats]. A new reader is a new row there.
package detect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/jsonprofile"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/sheet"
	"agentrecon/ledger/tabular"
)

// headSize is how much of a file its format is told from.
const headSize = 64 << 10

// Read reads the entries of a ledger file in whatever known format; it is a [ledger.ReadFunc]. A file in
// no readable format is refused by a [*tabular.FileError] that says what it is.
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	head, whole, err := peek(r)
	if err != nil {
		return ledger.SourceFile{}, fmt.Errorf("%s: read: %w", name, err)
	}
	if len(head) == 0 {
		return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: "empty file; was the export complete?"}
	}
	format, ok := Choose(head)
	if !ok {
		return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: unknown(head)}
	}
	return format.Open(name, whole, options, each)
}

// Reader returns [Read] with a person's own profiles, which go before the shipped ones, inside archives too.
func Reader(own []*profile.Profile) ledger.ReadFunc {
	if len(own) == 0 {
		return Read
	}
	c := newChooser(own)
	return func(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		head, whole, err := peek(r)
		if err != nil {
			return ledger.SourceFile{}, fmt.Errorf("%s: read: %w", name, err)
		}
		if len(head) == 0 {
			return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: "empty file; was the export complete?"}
		}
		format, ok := c.choose(head)
		if !ok {
			return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: unknown(head)}
		}
		return format.Open(name, whole, options, each)
	}
}

// chooser chooses formats where a person has profiles; without any it is [Choose].
type chooser struct {
	alone, set *profile.Set // the own profiles, and those before the shipped ones; nil: there are none
}

func newChooser(own []*profile.Profile) chooser {
	if len(own) == 0 {
		return chooser{}
	}
	return chooser{alone: profile.NewSet(own), set: profile.NewSet(append(slices.Clone(own), profile.Shipped()...))}
}

// profiles is the set that tables are read by.
func (c chooser) profiles() *profile.Set {
	if c.set == nil {
		return profile.ShippedSet()
	}
	return c.set
}

// choose is [Choose] with a person's own profiles: a text that one of them knows is a table, whatever else it may
// look like.
func (c chooser) choose(head []byte) (Format, bool) {
	format, ok := Choose(head)
	if c.set == nil {
		return format, ok
	}
	switch {
	case format.Name == "zip":
		format.Read = c.readZip
	case format.Name == "gzip":
		format.Read = c.readGzip
	case format.Name == "xlsx":
		format.Read = sheet.Reader(c.set)
	case format.Name == "json":
		format.Read = jsonprofile.Reader(c.set)
	case format.Name == "csv" || tabular.NotText(head) == "" && c.alone.Sniff(head):
		if format, ok = tableFormat(); ok {
			format.Read = c.set.Read
		}
	}
	return format, ok
}

// tableFormat is the row of [Formats] of tables by profiles.
func tableFormat() (Format, bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == "csv" })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// Choose returns the format of a file from its beginning. It reports false if none fits.
func Choose(head []byte) (Format, bool) {
	for _, f := range Formats {
		if f.Sniff(head) {
			return f, true
		}
	}
	return Format{}, false
}

// Named returns the format a person named, for files that must not be guessed at.
func Named(name string) (Format, error) {
	var readable []string
	for _, f := range Formats {
		if f.Read == nil {
			continue
		}
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		readable = append(readable, f.Name)
	}
	return Format{}, fmt.Errorf("unknown ledger format %q; known: %s", name, strings.Join(readable, ", "))
}

// Open reads a file that is known to have the format. Formats without a reader are refused with their remedy.
func (f Format) Open(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	if f.Read == nil {
		return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: fmt.Sprintf("this is %s, which this version does not read; %s", f.Title, f.Remedy)}
	}
	lost := false
	source, err := f.Read(name, r, options, func(e *ledger.Entry) error {
		lost = lost || holdsLost(e)
		return each(e)
	})
	// Most readers see it in the text of the file; XML, JSON and generic files are decoded by what they are.
	if err == nil && lost && !slices.ContainsFunc(source.Warnings, func(w string) bool { return strings.Contains(w, lines.WarnLost) }) {
		source.Warnings = append(source.Warnings, lines.WarnLost)
	}
	return source, err
}

// holdsLost reports whether a text that people read or match by has characters that were lost before.
func holdsLost(e *ledger.Entry) bool {
	for _, text := range [...]string{e.CounterpartyName, e.RemittanceText, e.EndToEndID, e.MerchantReference, e.IdempotencyKey} {
		if strings.Contains(text, "\uFFFD") {
			return true
		}
	}
	for i := range e.Children {
		if holdsLost(&e.Children[i]) {
			return true
		}
	}
	return false
}

// peek returns the beginning of a file and a reader of all of it. A file that can be set back is, so that
// it stays one for the format's reader.
func peek(r io.Reader) (head []byte, whole io.Reader, err error) {
	start := tabular.Start(r)
	head = make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, err
	}
	head = head[:n]
	if start < 0 {
		return head, io.MultiReader(bytes.NewReader(head), r), nil
	}
	_, err = r.(io.Seeker).Seek(start, io.SeekStart)
	return head, r, err
}

// unknown describes what no row of the table fits.
func unknown(head []byte) string {
	if reason := tabular.NotText(head); reason != "" {
		return reason
	}
	if reason := profile.ShippedSet().Describe(head); reason != "" {
		return reason
	}
	return "no known ledger format; it can be read as generic CSV if its columns are named so, at least amount, currency and one of booked_on and occurred_at" +
		" (recon import profiles lists what else can be read)"
}

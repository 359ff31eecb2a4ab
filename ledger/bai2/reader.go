package bai2

import (
	"errors"
	"io"

	"agentrecon/ledger"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

// Format is what [ledger.SourceFile.Format] says of these files.
const Format = "bai2"

// Read reads a BAI2 file; it is a [ledger.ReadFunc].
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	file := witness.New(name, options, each)
	in, err := lines.New(name, file.Digest(r), options.Charset)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	b := &reader{name: name, options: options, file: file, records: records{name: name, lines: in}}
	if err := b.read(); err != nil {
		return ledger.SourceFile{}, err
	}
	for _, warning := range in.Decoder.Warnings() {
		file.Warn(warning)
	}
	return file.Source(Format)
}

// reader is the state of one file. The levels are open while their records come by.
type reader struct {
	name    string
	options ledger.ReadOptions
	file    *witness.File
	records records

	level   level
	group   group
	account account
	totals  [levels]total // by level
	closed  int           // trailers met
	opened  int           // headers met
	number  int           // of the record at hand, continuations counted
}

// level says what is open: nothing, the file, a group in it, an account in that.
type level int

const (
	outside level = iota
	inFile
	inGroup
	inAccount
	levels
)

// total is what a level's trailer must say of it.
type total struct {
	minor   int64 // sum of the amounts
	records int64 // its header and trailer included
	parts   int64 // groups of the file, accounts of the group
}

func (b *reader) read() error {
	for {
		record, err := b.records.next()
		if errors.Is(err, io.EOF) {
			b.end()
			return nil
		}
		if err == nil {
			err = b.record(record)
		}
		var fault *ledger.RowError
		if errors.As(err, &fault) {
			err = b.file.Bad(fault)
		}
		if err != nil {
			return err
		}
	}
}

// record takes one record; a [*ledger.RowError] is about that record only.
func (b *reader) record(r *record) error {
	b.number += r.physical
	if err := b.inPlace(r); err != nil {
		return err
	}
	for l := range b.totals {
		b.totals[l].records += int64(r.physical)
	}
	f := &fields{segments: r.segments}
	switch r.code {
	case "01":
		return b.fileHeader(r, f)
	case "02":
		return b.groupHeader(r, f)
	case "03":
		return b.accountHeader(r, f)
	case "16":
		return b.detail(r, f)
	case "49":
		return b.accountTrailer(r, f)
	case "98":
		return b.groupTrailer(r, f)
	default:
		return b.fileTrailer(r, f)
	}
}

// places says on which level a record may stand and what it is, for messages.
var places = map[string]struct {
	on   level
	what string
}{
	"01": {outside, "a file header (01)"},
	"02": {inFile, "a group header (02)"},
	"03": {inGroup, "an account (03)"},
	"16": {inAccount, "an entry (16)"},
	"49": {inAccount, "an account trailer (49)"},
	"98": {inGroup, "a group trailer (98)"},
	"99": {inFile, "a file trailer (99)"},
}

// inPlace refuses a record where it cannot stand. Headers may come while the levels below are open: their
// trailers are missing then, which fails the proof, and the new level begins all the same.
func (b *reader) inPlace(r *record) error {
	place := places[r.code]
	if b.level == place.on {
		return nil
	}
	if b.level < place.on {
		return b.refuse(r, place.what+" where none can stand; a record above it is missing. Was the file cut?")
	}
	b.level = place.on
	return nil
}

func (b *reader) refuse(r *record, reason string) error {
	return &tabular.FileError{File: b.name, Line: r.line, Reason: reason}
}

func (b *reader) bad(r *record, field, value, want string) error {
	return &ledger.RowError{File: b.name, Line: r.line, Field: field, Value: value, Want: want}
}

// open begins a level.
func (b *reader) open(l level, r *record) {
	b.level = l
	b.opened++
	b.totals[l] = total{records: int64(r.physical)}
	if l > inFile {
		b.totals[l-1].parts++
	}
}

// add adds an amount to every open level.
func (b *reader) add(r *record, minor int64) error {
	const most = 1 << 62
	for l := inFile; l <= inAccount; l++ {
		t := &b.totals[l]
		if t.minor += minor; t.minor > most || t.minor < -most {
			return b.refuse(r, "the sum of the amounts is too large to be money; is this the right file?")
		}
	}
	return nil
}

// end checks that what was opened was closed: a file that was cut lacks its last trailers, and nothing else
// tells.
func (b *reader) end() {
	if s := b.file.Statement(); s != nil && b.closed < b.opened {
		s.Checks = append(s.Checks, ledger.Check{
			Name: "records that close the file, its groups and accounts (99, 98, 49)", Declared: int64(b.opened), Found: int64(b.closed),
		})
	}
}

// check holds a level against its trailer: control total, number of parts, number of records. What the
// trailer leaves empty is not checked.
func (b *reader) check(r *record, f *fields, l level, figures ...ledger.Check) error {
	b.closed++
	b.level = l - 1
	s := b.file.Statement()
	for _, c := range figures {
		text, _ := f.next()
		n, given, err := amount(text)
		if err != nil {
			return b.bad(r, c.Name, text, err.Error())
		}
		if given && s != nil {
			c.Declared = n
			s.Checks = append(s.Checks, c)
		}
	}
	return nil
}

func (b *reader) accountTrailer(r *record, f *fields) error {
	t := b.totals[inAccount]
	s := b.file.Statement()
	err := b.check(r, f, inAccount,
		ledger.Check{Name: "account control total", Found: t.minor, Money: true},
		ledger.Check{Name: "records of the account", Found: t.records})
	if err != nil || b.account.entries > 0 || s == nil || s.Checks == nil {
		return err
	}
	// The trailer counts the records, so an account without entries says so itself.
	if c := s.Checks[len(s.Checks)-1]; !c.Money && c.Declared == c.Found {
		s.Declared.Entries.Count = ledger.Some(0)
	}
	return nil
}

func (b *reader) groupTrailer(r *record, f *fields) error {
	t := b.totals[inGroup]
	return b.check(r, f, inGroup,
		ledger.Check{Name: "group control total", Found: t.minor, Money: true},
		ledger.Check{Name: "accounts of the group", Found: t.parts},
		ledger.Check{Name: "records of the group", Found: t.records})
}

func (b *reader) fileTrailer(r *record, f *fields) error {
	t := b.totals[inFile]
	return b.check(r, f, inFile,
		ledger.Check{Name: "file control total", Found: t.minor, Money: true},
		ledger.Check{Name: "groups of the file", Found: t.parts},
		ledger.Check{Name: "records of the file", Found: t.records})
}

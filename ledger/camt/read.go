package camt

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/witness"
)

// maxChildren bounds the details of one entry; a salary run of a large employer has some ten thousand.
const maxChildren = 100_000

// message is one of the three kinds of camt messages.
type message struct {
	container string // element that holds the statements, lower case; banks append versions to it
	item      string // element of one statement
	format    string
	role      witness.Role
}

var messages = []message{
	{"bktocstmrstmt", "stmt", "camt.053", witness.Statement},
	{"bktocstmracctrpt", "rpt", "camt.052", witness.Intraday},
	{"bktocstmrdbtcdtntfctn", "ntfctn", "camt.054", witness.Notification},
}

// Read reads a camt.052, .053 or .054 file; it is a [ledger.ReadFunc]. Details of batches are in
// [ledger.Entry.Children]. The entries of camt.052 without an id and all of camt.054 are no movements of
// money unless the options say so, for a statement shows them too.
//
// Faults are a [*ledger.BadRows], a [*tabular.FileError], or an error of reading or of each. A failed proof
// is no error.
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	file := witness.New(name, options, each)
	digested := file.Digest(r)
	text, fix, err := decode(digested, options.Charset)
	if err != nil {
		return ledger.SourceFile{}, (&parser{name: name, file: file, t: &tokens{}}).fatal(err)
	}
	p := &parser{name: name, file: file, options: options, t: newTokens(text)}
	err = p.walk()
	p.unread.Settle(file)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	// The decoder may stop before the last bytes, which belong to the digest nevertheless.
	if _, err := io.Copy(io.Discard, digested); err != nil {
		return ledger.SourceFile{}, fmt.Errorf("%s: read: %w", name, err)
	}
	if fix != nil && fix.foreign > 0 {
		file.Warn(fmt.Sprintf("%d bytes are not the UTF-8 that the file claims to be and were read as Windows-1252", fix.foreign))
	}
	if p.format == "" {
		return ledger.SourceFile{}, file.Refusal(0, p.notCamt())
	}
	return file.Source(p.format)
}

// parser walks one file.
type parser struct {
	name    string
	file    *witness.File
	options ledger.ReadOptions
	t       *tokens

	format  string // of the first message: camt.053.001.08
	version string // as the namespace says it: 053.001.08
	root    string // for messages
	kind    string // the same: "pain.001.001.03"
	message message
	place   string // path of the open statement
	items   int    // statements of this container
	head    header
	entries int // of this statement
	unread  witness.Unread
}

// walk finds the statements, wherever they are.
func (p *parser) walk() error {
	for {
		step, err := p.t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return p.fatal(err)
		}
		if step == closed {
			p.t.drop()
			continue
		}
		p.noteRoot()
		if p.isItem() {
			if err := p.statement(); err != nil {
				return err
			}
		}
	}
}

// messageName is the name of a message of ISO 20022 within its namespace.
var messageName = regexp.MustCompile(`\b[a-z]{4}\.\d{3}\.\d{3}\.\d{2}\b`)

var namespaceVersion = regexp.MustCompile(`\bcamt\.(05[234]\.001\.\d{2})`)

// noteRoot remembers what the file calls itself.
func (p *parser) noteRoot() {
	if p.root == "" {
		p.root = p.t.innermost()
	}
	if p.kind == "" {
		p.kind = string(messageName.Find(p.t.attrs))
	}
	if m := namespaceVersion.FindSubmatch(p.t.attrs); m != nil {
		p.version = string(m[1])
	}
	for _, m := range messages {
		if strings.HasPrefix(p.t.innermost(), m.container) {
			p.message, p.items = m, 0
			if p.format == "" {
				p.format = m.format
				if strings.HasPrefix("camt."+p.version, m.format) {
					p.format = "camt." + p.version
				}
			}
		}
	}
}

// isItem reports whether the element that began is a statement.
func (p *parser) isItem() bool {
	n := len(p.t.stack)
	return p.message.item != "" && n >= 2 && p.t.stack[n-1] == p.message.item && strings.HasPrefix(p.t.stack[n-2], p.message.container)
}

// notCamt says what the file is instead.
func (p *parser) notCamt() string {
	if p.root == "" {
		return "no XML element in it; was the export complete?"
	}
	what := "its outermost element is " + p.t.shown(p.root)
	if p.kind != "" {
		what = "it is a " + p.kind + " message"
	}
	return what + ", and there is no BkToCstmrStmt, BkToCstmrAcctRpt or BkToCstmrDbtCdtNtfctn in it; " +
		"payment orders (pain) and invoices are no statements, so ask the bank for camt.053"
}

// fatal ends the file where the reader stands.
func (p *parser) fatal(err error) error {
	line := 0
	if p.t.scan != nil {
		line = p.t.line()
	}
	var r refused
	if errors.As(err, &r) {
		return p.file.WithBad(p.file.Refusal(line, string(r)))
	}
	return fmt.Errorf("%s:%d: read: %w", p.name, line, err)
}

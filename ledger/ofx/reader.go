package ofx

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

// Format is what [ledger.SourceFile.Format] says of these files.
const Format = "ofx"

// Read reads an OFX file; it is a [ledger.ReadFunc].
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	decoder, err := lines.NewDecoder(options.Charset)
	if err != nil {
		return ledger.SourceFile{}, fmt.Errorf("%s: %w", name, err)
	}
	file := witness.New(name, options, each)
	o := &reader{name: name, options: options, file: file, tokens: newTokenizer(name, file.Digest(r), decoder)}
	if err := o.read(); err != nil {
		return ledger.SourceFile{}, err
	}
	for _, warning := range decoder.Warnings() {
		file.Warn(warning)
	}
	source, err := file.Source(Format)
	switch {
	case err == nil || o.entries > 0:
	case o.refusal != "":
		err = &tabular.FileError{File: name, Reason: "the bank sent an error instead of a statement: " + o.refusal}
	case o.trades:
		err = &tabular.FileError{File: name, Reason: "it has trades in securities and no payments (INVBANKTRAN); the payments are on the statement of the cash account"}
	}
	return source, err
}

// aggregates are the tags that hold others, as far as it matters whose a value is. The rest is looked through.
var aggregates = []string{
	"OFX", "STMTRS", "CCSTMTRS", "INVSTMTRS", "BANKACCTFROM", "CCACCTFROM", "INVACCTFROM", "BANKTRANLIST", "BANKTRANLISTP",
	"INVTRANLIST", "INVBANKTRAN", "STMTTRN", "STMTTRNP", "CURRENCY", "ORIGCURRENCY", "PAYEE", "BANKACCTTO", "CCACCTTO", "LEDGERBAL",
	"AVAILBAL", "BALLIST", "BAL", "STATUS", "SONRS", "IMAGEDATA", "INVPOSLIST", "INVBAL", "SECLIST", "INV401K", "INVOOLIST",
}

// maybeValues are aggregates that some banks write as plain values: the payee's name, the currency's code.
var maybeValues = []string{"PAYEE", "CURRENCY", "ORIGCURRENCY"}

// mostDepth bounds the tags that are open at a time.
const mostDepth = 64

// reader is the state of one file.
type reader struct {
	name    string
	options ledger.ReadOptions
	file    *witness.File
	tokens  *tokenizer

	open        []string
	transaction *transaction
	entries     int
	trades      bool // in securities
	severity    string
	code        string
	refusal     string // what the bank says instead of a statement
}

func (o *reader) read() error {
	for {
		t, err := o.tokens.next()
		switch {
		case errors.Is(err, io.EOF):
			return o.end()
		case err != nil:
			return err
		case t.name == "":
			o.header(t.value)
			continue
		case t.close:
			err = o.pop(t.name)
		case slices.Contains(aggregates, t.name) && (t.value == "" || !slices.Contains(maybeValues, t.name)):
			err = o.push(t)
		case t.value != "":
			err = o.leaf(t)
		case o.top() == "INVTRANLIST" && slices.Contains(trades, t.name):
			o.trades = true
			o.file.Warn("the trades of an investment account were left out; only its payments (INVBANKTRAN) were read")
		}
		var fault *ledger.RowError
		if errors.As(err, &fault) {
			err = o.file.Bad(fault)
		}
		if err != nil {
			return err
		}
	}
}

// charsetOf finds the encoding, in headers on one line without anything between their values as well.
var charsetOf = regexp.MustCompile(`(?i)CHARSET\s*:\s*([A-Za-z0-9_-]+?)(?:COMPRESSION|[^\w-]|$)`)

// header takes the encoding from the lines "KEY:VALUE" of version 1, wherever they stand, or from the XML
// declaration of version 2. A person's word goes before either.
func (o *reader) header(text string) {
	name := o.tokens.encoded
	if m := charsetOf.FindStringSubmatch(text); m != nil {
		if name = m[1]; len(name) == len("1252") && strings.Trim(name, "0123456789") == "" {
			name = "windows-" + name
		}
	}
	if o.options.Charset != "" || name == "" || strings.HasPrefix(strings.ToLower(name), "utf") {
		return
	}
	if d, err := lines.NewDecoder(name); err == nil {
		o.tokens.decoder.Name(d)
	}
}

// end refuses a file that was cut.
func (o *reader) end() error {
	for _, name := range o.open {
		if name != "OFX" {
			return &tabular.FileError{File: o.name, Line: o.tokens.line, Reason: "the file ends inside <" + name + ">; it was cut"}
		}
	}
	return nil
}

func (o *reader) within(name string) bool { return slices.Contains(o.open, name) }

func (o *reader) top() string {
	if len(o.open) == 0 {
		return ""
	}
	return o.open[len(o.open)-1]
}

// push opens an aggregate. SGML lets one be ended by the next of its kind.
func (o *reader) push(t token) error {
	if t.name == "STMTTRN" || t.name == "STMTTRNP" {
		if err := o.pop(t.name); err != nil {
			return err
		}
		if err := o.statement(t.line); err != nil {
			return err
		}
		o.transaction = &transaction{line: t.line, pending: t.name == "STMTTRNP" || o.within("BANKTRANLISTP")}
	}
	if len(o.open) == mostDepth {
		return &tabular.FileError{File: o.name, Line: t.line, Reason: fmt.Sprintf("more than %d tags inside each other; is this the right file?", mostDepth)}
	}
	o.open = append(o.open, t.name)
	switch t.name {
	case "STMTRS", "CCSTMTRS", "INVSTMTRS":
		return o.file.Open(ledger.Statement{Line: t.line}, witness.Statement)
	}
	return nil
}

// pop closes an aggregate and those that were left open in it; the end of any other tag means nothing.
func (o *reader) pop(name string) error {
	at := slices.Index(o.open, name)
	if at < 0 {
		return nil
	}
	for i := len(o.open) - 1; i > at; i-- {
		if o.open[i] == name {
			at = i
			break
		}
	}
	closed := o.open[at:]
	o.open = o.open[:at]
	if slices.Contains(closed, "STMTTRN") || slices.Contains(closed, "STMTTRNP") {
		return o.entry()
	}
	return nil
}

// statement makes sure that an entry has one to stand on.
func (o *reader) statement(line int) error {
	if o.file.Statement() != nil {
		return nil
	}
	return o.file.Open(ledger.Statement{Line: line}, witness.Statement)
}

// leaf takes a value for what it stands in.
func (o *reader) leaf(t token) error {
	top := o.top()
	if o.transaction != nil && (o.within("STMTTRN") || o.within("STMTTRNP")) {
		o.transaction.take(top, t)
		return nil
	}
	s := o.file.Statement()
	switch {
	case top == "STATUS":
		o.status(t)
	case s == nil:
	case t.name == "CURDEF":
		return o.currency(s, t)
	case t.name == "ACCTID" && (top == "BANKACCTFROM" || top == "CCACCTFROM" || top == "INVACCTFROM"):
		s.AccountID = t.value
	case t.name == "DTSTART" || t.name == "DTEND":
		o.span(s, t)
	case top == "LEDGERBAL":
		o.balance(s, &s.Closing, t)
	case top == "AVAILBAL":
		o.balance(s, &s.Available, t)
	}
	return nil
}

// status remembers what the bank says went wrong.
func (o *reader) status(t token) {
	switch t.name {
	case "CODE":
		o.code = t.value
	case "SEVERITY":
		o.severity = strings.ToUpper(t.value)
		if o.severity == "ERROR" {
			o.refusal = "code " + o.code
		}
	case "MESSAGE":
		if o.severity == "ERROR" {
			o.refusal = fmt.Sprintf("%s (code %s)", t.value, o.code)
		}
	}
}

// currency takes the statement's currency. XXX, which is none, leaves it to the person.
func (o *reader) currency(s *ledger.Statement, t token) error {
	if strings.EqualFold(t.value, "XXX") {
		return nil
	}
	c, err := ledger.ParseCurrency(t.value)
	if err != nil {
		return o.file.BadField(t.line, "CURDEF", t.value, "not an ISO 4217 currency code such as USD")
	}
	s.Currency = c
	return nil
}

// span takes the days that the statement covers. The last one is not taken for complete, for most banks put
// the moment of the download there.
func (o *reader) span(s *ledger.Statement, t token) {
	on, ok := o.date(t)
	switch {
	case !ok:
	case t.name == "DTSTART":
		s.From = on
	case s.From == on:
		s.To = on.AddDays(1)
	default:
		s.To = on
	}
}

// balance takes a balance. It proves nothing, so one that cannot be read is left out and the file kept.
func (o *reader) balance(s *ledger.Statement, b *ledger.Balance, t token) {
	switch t.name {
	case "BALAMT":
		minor, _, err := amount(t.value, cmp.Or(s.Currency, o.options.DefaultCurrency))
		if err != nil {
			o.leftOut(t)
			return
		}
		b.Amount = ledger.Some(minor)
	case "DTASOF":
		b.On, _ = o.date(t)
	}
}

func (o *reader) date(t token) (ledger.Date, bool) {
	if strings.Trim(t.value, "0") == "" {
		return 0, false
	}
	on, _, err := date(t.value)
	if err != nil {
		o.leftOut(t)
	}
	return on, err == nil
}

func (o *reader) leftOut(t token) {
	o.file.Warn(fmt.Sprintf("line %d: %s %q cannot be read and was left out", t.line, t.name, t.value))
}

// trades are the tags of what happens to securities. They are no payments.
var trades = []string{"INVBUY", "INVSELL", "INCOME", "REINVEST", "INVEXPENSE", "TRANSFER"}

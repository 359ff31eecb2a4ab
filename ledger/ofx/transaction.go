package ofx

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
)

// WarnRounded marks an entry whose amount has more decimals than its currency: it was rounded, half to even.
// The format knows no minor units, and programs write what their arithmetic left.
const WarnRounded = "amount_rounded"

// transaction is a STMTTRN as its values come by.
type transaction struct {
	line    int
	pending bool
	values  [fieldCount]string
	lines   [fieldCount]int
}

// The values that are kept.
const (
	fieldType = iota
	fieldPosted
	fieldUser
	fieldAvailable
	fieldAmount
	fieldID
	fieldCorrects
	fieldCorrection
	fieldCheck
	fieldReference
	fieldName
	fieldMemo
	fieldAccountTo
	fieldCurrency
	fieldOriginal
	fieldRate
	fieldCount
)

// fieldOf tells the values by their tags; those in an aggregate of the transaction have its name before them.
var fieldOf = map[string]int{
	"TRNTYPE": fieldType, "DTPOSTED": fieldPosted, "DTTRAN": fieldPosted, "DTUSER": fieldUser, "DTAVAIL": fieldAvailable,
	"TRNAMT": fieldAmount, "FITID": fieldID, "CORRECTFITID": fieldCorrects, "CORRECTACTION": fieldCorrection,
	"CHECKNUM": fieldCheck, "REFNUM": fieldReference, "NAME": fieldName, "PAYEE/NAME": fieldName, "PAYEE": fieldName, "MEMO": fieldMemo,
	"BANKACCTTO/ACCTID": fieldAccountTo, "CCACCTTO/ACCTID": fieldAccountTo,
	"CURRENCY": fieldCurrency, "ORIGCURRENCY": fieldOriginal, "CURRENCY/CURSYM": fieldCurrency, "CURRENCY/CURRATE": fieldRate,
	"ORIGCURRENCY/CURSYM": fieldOriginal, "ORIGCURRENCY/CURRATE": fieldRate,
}

func (x *transaction) take(top string, t token) {
	name := t.name
	if top != "STMTTRN" && top != "STMTTRNP" {
		name = top + "/" + name
	}
	if i, ok := fieldOf[name]; ok && x.values[i] == "" {
		x.values[i], x.lines[i] = t.value, t.line
	}
}

// kinds of the transaction types that say what an entry is for.
var kinds = map[string]ledger.Kind{
	"FEE": ledger.KindFee, "SRVCHG": ledger.KindFee, "INT": ledger.KindInterest, "XFER": ledger.KindTransfer,
}

// entry hands on the transaction that was closed.
func (o *reader) entry() error {
	x := o.transaction
	o.transaction = nil
	if x == nil {
		return nil
	}
	o.entries++
	s := o.file.Statement()
	e := ledger.Entry{
		Line: x.line, ProviderID: x.values[fieldID], BankID: true, KindRaw: x.values[fieldType], Kind: kinds[strings.ToUpper(x.values[fieldType])],
		CounterpartyName: x.values[fieldName], RemittanceText: x.values[fieldMemo], CounterpartyAccount: x.values[fieldAccountTo],
		MerchantReference: cmp.Or(x.values[fieldReference], x.values[fieldCheck]), Currency: s.Currency,
	}
	if e.RemittanceText == "" {
		e.RemittanceText = e.CounterpartyName
	}
	if x.pending || strings.EqualFold(e.KindRaw, "HOLD") {
		e.Status = ledger.StatusPending
	}
	for _, step := range []func(*transaction, *ledger.Entry) error{o.money, o.days, o.correction} {
		if err := step(x, &e); err != nil {
			return err
		}
	}
	return o.file.Add(&e)
}

func (o *reader) bad(x *transaction, field int, name, want string) error {
	return o.file.BadField(cmp.Or(x.lines[field], x.line), name, x.values[field], want)
}

// money reads amount and currency. Inside CURRENCY the amount is in that one; inside ORIGCURRENCY it was
// converted from it.
func (o *reader) money(x *transaction, e *ledger.Entry) error {
	if symbol := x.values[fieldCurrency]; symbol != "" {
		c, err := ledger.ParseCurrency(symbol)
		if err != nil {
			return o.bad(x, fieldCurrency, "CURSYM", "not an ISO 4217 currency code such as USD")
		}
		if e.Currency != c {
			e.Currency, e.FXRate = c, x.values[fieldRate]
		}
	}
	if symbol := x.values[fieldOriginal]; symbol != "" {
		c, err := ledger.ParseCurrency(symbol)
		if err != nil {
			return o.bad(x, fieldOriginal, "CURSYM", "not an ISO 4217 currency code such as USD")
		}
		e.OrigCurrency, e.FXRate = c, x.values[fieldRate]
	}
	text := x.values[fieldAmount]
	if text == "" {
		return o.bad(x, fieldAmount, "TRNAMT", "missing, but every STMTTRN needs it")
	}
	c := cmp.Or(e.Currency, o.options.DefaultCurrency)
	minor, rounded, err := amount(text, c)
	if err != nil {
		return o.bad(x, fieldAmount, "TRNAMT", err.Error())
	}
	if !strings.ContainsAny(text, "0123456789") {
		o.file.Warn(fmt.Sprintf("line %d: the amount %q has no digits and was taken for 0", x.lines[fieldAmount], text))
	}
	if e.Amount = minor; rounded {
		e.Warnings = append(e.Warnings, WarnRounded)
		o.file.Warn(fmt.Sprintf("some amounts have more decimals than %s has and were rounded; their entries have the warning %s", c, WarnRounded))
	}
	if minor > 0 && strings.EqualFold(e.KindRaw, "DEBIT") || minor < 0 && strings.EqualFold(e.KindRaw, "CREDIT") {
		o.file.Warn("some entries are called DEBIT or CREDIT against the sign of their amount; the sign counts")
	}
	return nil
}

// days reads the dates. An entry without one is put on the last day of the statement.
func (o *reader) days(x *transaction, e *ledger.Entry) error {
	s := o.file.Statement()
	for _, field := range []int{fieldPosted, fieldUser} {
		if x.values[field] == "" || !e.BookedOn.IsZero() {
			continue
		}
		on, clamped, err := date(x.values[field])
		if err != nil {
			return o.bad(x, field, "DTPOSTED", err.Error())
		}
		if e.BookedOn = on; clamped {
			e.Warnings = append(e.Warnings, ledger.WarnDateClamped)
		}
		e.OccurredAt = instant(x.values[field])
	}
	if text := x.values[fieldAvailable]; text != "" {
		on, _, err := date(text)
		if err != nil {
			return o.bad(x, fieldAvailable, "DTAVAIL", err.Error())
		}
		e.ValueOn = on
	}
	if e.BookedOn.IsZero() && e.ValueOn.IsZero() {
		if e.BookedOn = cmp.Or(s.To, s.Closing.On); e.BookedOn.IsZero() {
			return o.bad(x, fieldPosted, "DTPOSTED", "missing, and the statement has no DTEND to take its place")
		}
		e.Warnings = append(e.Warnings, ledger.WarnDateAssumed)
	}
	return nil
}

// correction marks entries that correct others. One that deletes another moves nothing itself.
func (o *reader) correction(x *transaction, e *ledger.Entry) error {
	if x.values[fieldCorrects] == "" {
		return nil
	}
	e.OriginalProviderID, e.StatusRaw = x.values[fieldCorrects], x.values[fieldCorrection]
	o.file.Warn("some entries correct earlier ones (CORRECTFITID); what they correct is not taken back by itself, so look at both")
	if strings.EqualFold(x.values[fieldCorrection], "DELETE") {
		e.Status = ledger.StatusInfo
	}
	return nil
}

// date reads the first eight digits, the calendar date as printed, with the same mark between its parts or none. A day that its month lacks becomes the
// month's last.
func date(s string) (on ledger.Date, clamped bool, err error) {
	wrong := errors.New("want a date that begins with YYYYMMDD")
	if len(s) >= len("YYYY-MM-DD") && strings.IndexByte("-/.", s[4]) >= 0 && s[7] == s[4] {
		s = s[:4] + s[5:7] + s[8:10]
	}
	if len(s) < len("YYYYMMDD") {
		return 0, false, wrong
	}
	n, err := strconv.ParseUint(s[:8], 10, 32)
	if err != nil {
		return 0, false, wrong
	}
	year, month, day := int(n/10000), time.Month(n/100%100), int(n%100)
	if year == 0 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false, wrong
	}
	last := ledger.NewDate(year, month+1, 1).AddDays(-1) // a thirteenth month rolls over
	on = ledger.NewDate(year, month, day)
	return min(on, last), on > last, nil
}

// instant reads a time with the offset in hours that some banks put in brackets, as in
// 20250131143000.000[-5:EST]. Midnight and noon are what programs write that have a date only.
func instant(s string) time.Time {
	const digits = len("YYYYMMDDHHMMSS")
	stamp, zone, ok := strings.Cut(s, "[")
	if !ok || len(stamp) < digits || stamp[8:digits] == "000000" || stamp[8:digits] == "120000" {
		return time.Time{}
	}
	hours, _, _ := strings.Cut(strings.TrimSuffix(zone, "]"), ":")
	offset, err := ledger.ParseDecimal(hours, 2) // hundredths of an hour
	const mostHours = 14
	if err != nil || offset < -100*mostHours || offset > 100*mostHours {
		return time.Time{}
	}
	t, err := time.Parse("20060102150405", stamp[:digits])
	if err != nil {
		return time.Time{}
	}
	return t.Add(-time.Duration(offset) * time.Hour / 100).UTC()
}

var marks = strings.NewReplacer(".", "", ",", "")

// amount reads a signed number with point or comma as decimal mark, and the other one between thousands. It
// has no exponent, and what it has beyond the currency's decimals is rounded, half to even.
func amount(s string, c ledger.Currency) (minor int64, rounded bool, err error) {
	digits := strings.ReplaceAll(s, " ", "")
	mark := max(strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ','))
	if mark >= 0 {
		whole := digits[:mark]
		if strings.IndexByte(whole, digits[mark]) >= 0 {
			return 0, false, errors.New("want a number such as -1234.50, with one decimal mark")
		}
		whole = marks.Replace(whole)
		digits = whole + "." + digits[mark+1:]
	}
	if strings.HasSuffix(digits, ".") {
		digits += "0"
	}
	if i := strings.IndexByte(digits, '.'); i >= 0 && strings.Trim(digits[:i], "+-") == "" {
		digits = digits[:i] + "0" + digits[i:]
	}
	if minor, err = ledger.ParseDecimal(digits, c.Exponent()); !errors.Is(err, ledger.ErrTooPrecise) {
		switch {
		case errors.Is(err, ledger.ErrTooLarge):
			err = fmt.Errorf("too large, at most %d minor units", int64(ledger.MaxMinor))
		case err != nil:
			err = errors.New("want a number such as -1234.50")
		}
		return minor, false, err
	}
	minor, err = roundHalfEven(digits, c.Exponent())
	return minor, true, err
}

// roundHalfEven cuts a plain decimal that has more decimals than the exponent.
func roundHalfEven(digits string, exponent int) (int64, error) {
	point := strings.IndexByte(digits, '.')
	cut := point + 1 + exponent
	kept, rest := digits[:cut], digits[cut:]
	minor, err := ledger.ParseDecimal(strings.TrimSuffix(kept, "."), exponent)
	if err != nil {
		return 0, err
	}
	half := "5" + strings.Repeat("0", len(rest)-1)
	if rest > half || rest == half && minor%2 != 0 {
		if strings.HasPrefix(digits, "-") {
			return minor - 1, nil
		}
		return minor + 1, nil
	}
	return minor, nil
}

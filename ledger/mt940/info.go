package mt940

import (
	"regexp"
	"strings"
)

// info is what field 86 says, by whatever dialect.
type info struct {
	code        string // German business transaction code
	text        string // purpose, or all of it
	endToEnd    string
	customerRef string
	mandate     string
	creditorRef string
	name        string
	account     string
	agent       string
	reason      string // of a return
	original    string
}

// fullLine is the length at which field 86 is cut; a word may be cut there too.
const fullLine = 65

// parseInfo reads field 86 in the dialect it is in.
func parseInfo(lines []string) info {
	joined := strings.TrimLeft(strings.Join(lines, ""), " ")
	if m := germanPattern.FindStringSubmatch(joined); m != nil {
		return german(m[1], m[2], joined[len(m[1]):])
	}
	if rest, ok := strings.CutPrefix(joined, "999"); ok && rest != "" && (rest[0] < '0' || rest[0] > '9') {
		return info{code: "999", text: strings.TrimSpace(strings.TrimPrefix(unwrap(lines), "999"))} // unstructured, says the code
	}
	if isDutch(joined) {
		return dutch(joined)
	}
	return info{text: unwrap(lines)}
}

// unwrap joins free text: a line cut for its length goes on at once, any other after a blank.
func unwrap(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 && len([]rune(lines[i-1])) < fullLine {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}

// The German dialect: a code of three digits, and subfields of a separator and two digits. The separator is
// whatever stands behind the code, mostly a question mark.
var (
	germanPattern = regexp.MustCompile(`^(\d{3})([?<>|^~!@#$&*])[0-9]{2}`)
	subfieldCodes = map[string]bool{}
)

func init() {
	for _, code := range strings.Fields("00 10 11 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 60 61 62 63 64 65") {
		subfieldCodes[code] = true
	}
}

// german reads numbered subfields. A separator before anything but a known number is text.
func german(code, separator, text string) info {
	x := info{code: code}
	var purpose []string
	current := ""
	take := func(value string) {
		switch current {
		case "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "60", "61", "62", "63", "64", "65":
			purpose = append(purpose, value)
		case "30":
			x.agent = strings.TrimSpace(value)
		case "31":
			x.account = polish(strings.ReplaceAll(value, " ", ""))
		case "38": // the whole IBAN, in the files of Polish banks; 31 is then without its country, or missing
			if iban := strings.ReplaceAll(value, " ", ""); iban != "" {
				x.account = iban
			}
		case "32", "33":
			x.name += value
		case "34":
			x.reason = strings.TrimSpace(value)
		case "00":
			x.text = strings.TrimSpace(value)
		}
	}
	var value strings.Builder
	for len(text) > 0 {
		if rest, ok := strings.CutPrefix(text, separator); ok && len(rest) >= 2 && subfieldCodes[rest[:2]] {
			take(value.String())
			value.Reset()
			current, text = rest[:2], rest[2:]
			continue
		}
		value.WriteByte(text[0])
		text = text[1:]
	}
	take(value.String())
	x.name = strings.TrimSpace(x.name)
	x.purpose(purpose)
	return x
}

// sepaKeys begin, before a plus, the parts of a SEPA purpose (DK-Abkommen annex 3).
var sepaKeys = map[string]bool{
	"EREF": true, "KREF": true, "MREF": true, "CRED": true, "DEBT": true, "COAM": true, "OAMT": true, "SVWZ": true,
	"ABWA": true, "ABWE": true, "RREF": true, "IBAN": true, "BIC": true,
}

// part is a key in a text: where it begins, and where its value does.
type part struct {
	key      string
	at, from int
}

// sepaParts finds the keys of a purpose, wherever they stand.
func sepaParts(text string) []part {
	var list []part
	for i := 0; i < len(text); i++ {
		if text[i] != '+' {
			continue
		}
		for _, length := range []int{4, 3} {
			if i >= length && sepaKeys[text[i-length:i]] {
				list = append(list, part{text[i-length : i], i - length, i + 1})
				break
			}
		}
	}
	return list
}

// purpose reads the lines of a purpose. With SEPA keys they are one text that was cut anywhere; without,
// they are the lines a person typed.
func (x *info) purpose(lines []string) {
	joined := strings.Join(lines, "")
	at := sepaParts(joined)
	if at == nil {
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		if text := strings.TrimSpace(strings.Join(lines, " ")); text != "" {
			x.text = text
		}
		return
	}
	text := strings.TrimSpace(joined[:at[0].at])
	for i, m := range at {
		end := len(joined)
		if i+1 < len(at) {
			end = at[i+1].at
		}
		value := strings.TrimSpace(joined[m.from:end])
		switch m.key {
		case "EREF":
			x.endToEnd = given(value)
		case "KREF":
			x.customerRef = given(value)
		case "MREF":
			x.mandate = given(value)
		case "RREF":
			x.original = given(value)
		case "SVWZ":
			text = strings.TrimSpace(text + " " + value)
		case "ABWA", "ABWE":
			if x.name == "" {
				x.name = value
			}
		case "IBAN":
			if x.account == "" {
				x.account = polish(strings.ReplaceAll(value, " ", ""))
			}
		case "BIC":
			if x.agent == "" {
				x.agent = value
			}
		}
	}
	if text != "" {
		x.text = text
	}
}

// The Dutch dialect: /KEY/value/KEY/value, with values that hold slashes themselves.
var dutchKeys = map[string]bool{
	"TRTP": true, "IBAN": true, "BIC": true, "NAME": true, "REMI": true, "EREF": true, "PREF": true, "MARF": true, "CSID": true,
	"BENM": true, "ORDP": true, "ADDR": true, "ID": true, "CNTP": true, "RTRN": true, "CDTRREFTP": true, "CDTRREF": true,
	"ISDT": true, "PURP": true, "UDTR": true, "UCRD": true, "ULTD": true, "ULTC": true, "TRCD": true, "SVCL": true, "ACCW": true,
	"BUSP": true, "OCMT": true, "EXCH": true, "CHGS": true,
}

// dutchParts finds the keys of a text. Neighbours may share a slash.
func dutchParts(text string) []part {
	var list []part
	for i := 0; i < len(text); {
		if text[i] != '/' {
			i++
			continue
		}
		n := strings.IndexByte(text[i+1:], '/')
		if n < 0 {
			break
		}
		if key := text[i+1 : i+1+n]; dutchKeys[key] {
			list = append(list, part{key, i, i + n + 2})
		}
		i += n + 1
	}
	return list
}

func isDutch(text string) bool {
	parts := dutchParts(text[:min(len(text), fullLine)])
	return len(parts) > 0 && parts[0].at == 0
}

func dutch(text string) info {
	var x info
	parts := dutchParts(text)
	for i, p := range parts {
		end := len(text)
		if i+1 < len(parts) {
			end = parts[i+1].at
		}
		x.dutchValue(p.key, strings.TrimSpace(strings.Trim(text[min(p.from, end):end], "/")))
	}
	if x.text == "" {
		x.text = text
	}
	return x
}

func (x *info) dutchValue(key, value string) {
	switch key {
	case "EREF":
		x.endToEnd = given(value)
	case "PREF":
		x.customerRef = given(value)
	case "MARF":
		x.mandate = given(value)
	case "IBAN", "ACCW":
		x.account = value
	case "BIC":
		x.agent = value
	case "NAME":
		x.name = value
	case "RTRN":
		x.reason = value
	case "CDTRREF":
		x.creditorRef = given(value)
	case "CNTP":
		parts := append(strings.Split(value, "/"), "", "")
		x.account, x.agent, x.name = parts[0], parts[1], parts[2]
	case "REMI":
		kind, rest, found := strings.Cut(value, "/")
		switch {
		case found && kind == "USTD":
			value = strings.Trim(rest, "/")
		case found && kind == "STRD":
			value = strings.Trim(rest, "/")
			if reference, ok := strings.CutPrefix(value, "CUR/"); ok {
				x.creditorRef = reference
			}
		}
		x.text = value
	}
}

// polish puts the country in front of a Polish account number (NRB, 26 digits), which is the IBAN without it. Check digits
// that are right for an IBAN say that it is one (ISO 13616: the number behind, P and L as 25 and 21, modulo 97 is 1).
func polish(account string) string {
	const digits = 26
	if len(account) != digits {
		return account
	}
	remainder := 0
	for _, c := range account[2:] + "2521" + account[:2] {
		if c < '0' || c > '9' {
			return account
		}
		remainder = (remainder*10 + int(c-'0')) % 97
	}
	if remainder != 1 {
		return account
	}
	return "PL" + account
}

package profile

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agentrecon/ledger"
)

// Profile describes one report of one provider.
type Profile struct {
	Name    string // "stripe.balance"
	Version int
	Title   string // for people, with its article
	JSON    bool   // of items of JSON, whose columns are paths
	Refuse  string // not empty: the report is known and is no ledger; why, and what to give instead

	Needs   [][]string            // every line of these must have one of its names in the header
	Not     []string              // none of these may be there
	Columns [roleCount][][]string // by role: fallbacks, each a list of names of which the first that the header has counts

	Mark      byte                    // decimal mark; 0: by the file
	Order     Order                   // of dates; empty: by the file
	Zone      string                  // of times
	Currency  ledger.Currency         // where the file has none
	Epoch     bool                    // dates are seconds since 1970
	Decimals  map[ledger.Currency]int // of amounts in minor units, where the provider and ISO 4217 differ; under no currency: of all
	Minor     bool                    // amounts are whole numbers of minor units
	Inverted  bool                    // money out is positive, as on card statements
	Round     bool                    // amounts have more decimals than the currency, and are rounded
	Fee       string                  // "", "within", "on_top", "original" or, for money out only, "on_top_out": how the fee column relates to the amount
	GroupZero bool                    // the entries of a group add up to zero once it is paid out
	GroupPaid bool                    // a payout is the sum of its group's other entries, some of which may be in an earlier file
	NoBalance bool                    // the balance column does not follow the rows
	BankIDs   bool                    // the provider_id is the bank's own number ([ledger.Entry.BankID]); of lexicons always

	Directions   map[string]int         // word, folded: +1 money in, -1 money out
	Kinds        map[string]ledger.Kind // word, folded
	statusEnds   []statusEnd
	kindPatterns []kindPattern            // in the order of the file, for words that are not in Kinds
	Statuses     map[string]ledger.Status // word, folded
	OtherStatus  ledger.Status            // of words that are not in Statuses; empty: unknown
	Flips        []condition              // rows whose sign is turned
	Skips        []condition              // rows that are no entries
	Checks       []check                  // rows that carry balances and totals
	Above        []above                  // names above the header whose values stand below them

	Carries map[string]string // texts of rows that carry a balance and are no entries, folded: opening, closing or available; of lexicons

	Lang    string // language of a lexicon
	Lexicon bool   // names of columns of many banks, not of one report
}

// statusEnd is the end of a word, with a star before it.
type statusEnd struct {
	end    string
	status ledger.Status
}

// kindPattern is a word with a star behind it, or around it.
type kindPattern struct {
	word string
	kind ledger.Kind
}

// condition is a row by the value of one of its columns.
type condition struct {
	column string
	values []string // folded
}

// check is a row that carries a balance or a total: of the opening, the closing, the credits or the debits.
type check struct {
	condition
	what string
}

// above is a name above the header, and what the value below it is: the value of a role for rows that have none, or
// what the entries add up to.
type above struct {
	name string
	role Role // where sum and count are false
	what string
}

// What the values of names above the header may be beside roles.
const (
	aboveSum   = "sum"   // of the amounts as printed, before they are rounded
	aboveCount = "count" // of the entries
)

// ID is the profile's name and version, for [ledger.SourceFile.Profile].
func (p *Profile) ID() string { return p.Name + "/" + strconv.Itoa(p.Version) }

//go:embed profiles/*.txt
var shipped embed.FS

// Shipped returns the embedded profiles, in order of their names; lexicons come last.
var Shipped = sync.OnceValue(func() []*Profile {
	list, err := Load(shipped, "profiles")
	if err != nil {
		panic(err) // TestShippedProfiles reads them all
	}
	return list
})

// Load reads every file *.txt of a folder.
func Load(from fs.FS, folder string) ([]*Profile, error) {
	names, err := fs.Glob(from, path.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	var list []*Profile
	for _, name := range names {
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		profiles, err := Parse(name, string(data))
		if err != nil {
			return nil, err
		}
		list = append(list, profiles...)
	}
	slices.SortStableFunc(list, func(a, b *Profile) int {
		switch {
		case a.Lexicon == b.Lexicon:
			return strings.Compare(a.Name, b.Name)
		case a.Lexicon:
			return 1
		default:
			return -1
		}
	})
	return list, nil
}

// Parse reads a file of profiles. Each begins with a line "profile NAME" or "lexicon NAME".
func Parse(file, text string) ([]*Profile, error) {
	var list []*Profile
	lines := bufio.NewScanner(strings.NewReader(text))
	for no := 1; lines.Scan(); no++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		var err error
		switch {
		case word == "profile" || word == "lexicon":
			p := &Profile{
				Name: rest, Version: 1, Lexicon: word == "lexicon",
				Directions: map[string]int{}, Kinds: map[string]ledger.Kind{}, Statuses: map[string]ledger.Status{},
			}
			if list = append(list, p); rest == "" {
				err = errors.New("want a name, such as stripe.balance")
			}
		case list == nil:
			err = errors.New("want a line that begins with profile or lexicon and its name")
		default:
			err = list[len(list)-1].set(word, rest)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", file, no, word, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range list {
		if err := p.validate(); err != nil {
			return nil, fmt.Errorf("%s: profile %s: %w", file, p.Name, err)
		}
	}
	return list, nil
}

// set takes one line of a profile.
func (p *Profile) set(word, rest string) error {
	switch word {
	case "format":
		if p.JSON = rest == "json"; !p.JSON {
			return errors.New("want json")
		}
	case "title":
		p.Title = rest
	case "refuse":
		p.Refuse = rest
	case "lang":
		p.Lang = rest
	case "zone":
		p.Zone = rest
	case "needs":
		p.Needs = append(p.Needs, names(rest))
	case "not":
		p.Not = append(p.Not, names(rest)...)
	case "column":
		return p.setColumn(rest)
	case "carry":
		return p.setCarries(rest)
	case "version":
		n, err := strconv.Atoi(rest)
		if p.Version = n; err != nil || n < 1 {
			return errors.New("want a number from 1")
		}
	case "decimal":
		if rest != "." && rest != "," {
			return errors.New("want . or ,")
		}
		p.Mark = rest[0]
	case "currency":
		c, err := ledger.ParseCurrency(rest)
		p.Currency = c
		return err
	case "amounts", "dates", "fee", "balance", "groups", "ids":
		return p.setRule(word, rest)
	default:
		return p.setWords(word, rest)
	}
	return nil
}

func (p *Profile) setColumn(rest string) error {
	role, list, _ := strings.Cut(rest, " ")
	r, ok := roleOf(role)
	if !ok {
		return fmt.Errorf("unknown role %q; known: %s", role, strings.Join(RoleNames(), ", "))
	}
	n := names(list)
	if n == nil {
		return errors.New("want the name of a column behind the role")
	}
	p.Columns[r] = append(p.Columns[r], n)
	return nil
}

// setRule takes one of the rules that have a few possible values.
func (p *Profile) setRule(word, rest string) error {
	rules := map[string]map[string]func(){
		"amounts": {
			"minor": func() { p.Minor = true }, "inverted": func() { p.Inverted = true }, "round": func() { p.Round = true },
		},
		"dates": {
			"ymd": func() { p.Order = YearFirst }, "dmy": func() { p.Order = DayFirst }, "mdy": func() { p.Order = MonthFirst },
			"epoch": func() { p.Epoch, p.Order = true, YearFirst },
		},
		"fee":     {"within": func() { p.Fee = "within" }, "on_top": func() { p.Fee = "on_top" }, "on_top_out": func() { p.Fee = "on_top_out" }, "original": func() { p.Fee = "original" }},
		"balance": {"unordered": func() { p.NoBalance = true }},
		"ids":     {"bank": func() { p.BankIDs = true }},
		"groups":  {"zero": func() { p.GroupZero = true }, "payout": func() { p.GroupPaid = true }},
	}
	set, ok := rules[word][rest]
	if !ok {
		var known []string
		for name := range rules[word] {
			known = append(known, name)
		}
		slices.Sort(known)
		return fmt.Errorf("unknown value %q; known: %s", rest, strings.Join(known, ", "))
	}
	set()
	return nil
}

// setCarries takes "carry WORD | WORD = opening": texts of rows that carry a balance, and which one. One that is
// available proves nothing, and is no entry.
func (p *Profile) setCarries(rest string) error {
	left, which, ok := cutLast(rest, " = ")
	if !ok || which != "opening" && which != "closing" && which != "available" {
		return errors.New("want = opening, = closing or = available behind the words")
	}
	if p.Carries == nil {
		p.Carries = make(map[string]string)
	}
	for _, w := range names(left) {
		p.Carries[w] = which
	}
	return nil
}

// setWords takes the lines that say what words in cells mean: "kind WORD | WORD = meaning".
func (p *Profile) setWords(word, rest string) error {
	left, meaning, ok := cutLast(rest, " = ")
	if !ok {
		return errors.New("unknown word, or a missing ' = '; see the README beside the shipped profiles")
	}
	switch word {
	case "kind":
		if !slices.Contains(ledger.Kinds, ledger.Kind(meaning)) {
			return fmt.Errorf("unknown kind %q", meaning)
		}
		for _, w := range names(left) {
			if strings.HasSuffix(w, "*") {
				p.kindPatterns = append(p.kindPatterns, kindPattern{w, ledger.Kind(meaning)})
				continue
			}
			p.Kinds[w] = ledger.Kind(meaning)
		}
	case "status":
		if !slices.Contains(ledger.Statuses, ledger.Status(meaning)) {
			return fmt.Errorf("unknown status %q", meaning)
		}
		for _, w := range names(left) {
			switch inside, starred := strings.CutPrefix(w, "*"); {
			case w == "*":
				p.OtherStatus = ledger.Status(meaning)
			case starred:
				p.statusEnds = append(p.statusEnds, statusEnd{inside, ledger.Status(meaning)})
			}
			p.Statuses[w] = ledger.Status(meaning)
		}
	case "direction":
		sign := map[string]int{"in": 1, "out": -1}[meaning]
		if sign == 0 {
			return errors.New("want = in or = out")
		}
		for _, w := range names(left) {
			p.Directions[w] = sign
		}
	case "decimals":
		return p.setDecimals(left, meaning)
	case "above":
		return p.setAbove(left, meaning)
	case "flip", "skip", "opening", "closing", "credits", "debits":
		c := condition{column: fold(left), values: names(meaning)}
		switch word {
		case "flip":
			p.Flips = append(p.Flips, c)
		case "skip":
			p.Skips = append(p.Skips, c)
		default:
			p.Checks = append(p.Checks, check{condition: c, what: word})
		}
	default:
		return errors.New("unknown word; see the README beside the shipped profiles")
	}
	return nil
}

// setAbove takes "above NAME = currency", with a role, sum or count.
func (p *Profile) setAbove(name, meaning string) error {
	a := above{name: fold(name), what: meaning}
	if meaning != aboveSum && meaning != aboveCount {
		role, ok := roleOf(meaning)
		if !ok {
			return fmt.Errorf("unknown role %q; known: sum, count, %s", meaning, strings.Join(RoleNames(), ", "))
		}
		a.role, a.what = role, ""
	}
	p.Above = append(p.Above, a)
	return nil
}

// setDecimals takes "decimals ISK | UGX = 2"; a star stands for every currency.
func (p *Profile) setDecimals(currencies, decimals string) error {
	n, err := strconv.Atoi(decimals)
	const most = 8
	if err != nil || n < 0 || n > most {
		return errors.New("want a number of decimals from 0 to 8 behind =")
	}
	if p.Decimals == nil {
		p.Decimals = make(map[ledger.Currency]int)
	}
	for _, name := range names(currencies) {
		c := ledger.Currency("")
		if name != "*" {
			if c, err = ledger.ParseCurrency(name); err != nil {
				return err
			}
		}
		p.Decimals[c] = n
	}
	return nil
}

// Names lists the columns that a profile knows, in the order of the documentation of roles.
func (p *Profile) Names() []string {
	var list []string
	add := func(name string) {
		if !strings.HasSuffix(name, "*") && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, fallbacks := range p.Columns {
		for _, alternatives := range fallbacks {
			for _, name := range alternatives {
				add(name)
			}
		}
	}
	for _, conditions := range [][]condition{p.Flips, p.Skips} {
		for _, c := range conditions {
			add(c.column)
		}
	}
	for _, c := range p.Checks {
		add(c.column)
	}
	return list
}

// DateNames lists the columns that hold dates.
func (p *Profile) DateNames() []string {
	var list []string
	for _, role := range [2]Role{RoleBookedOn, RoleValueOn} {
		for _, alternatives := range p.Columns[role] {
			list = append(list, alternatives...)
		}
	}
	return list
}

func (p *Profile) validate() error {
	if p.Lexicon || p.Refuse != "" {
		return nil
	}
	if len(p.Needs) == 0 {
		return errors.New("it needs no column, so it would fit every file")
	}
	if p.Columns[RoleBookedOn] == nil {
		return errors.New("no column booked_on")
	}
	if p.Columns[RoleAmount] == nil && p.Columns[RoleNet] == nil && (p.Columns[RoleCredit] == nil && p.Columns[RoleDebit] == nil) {
		return errors.New("no column amount, net, credit or debit")
	}
	return nil
}

// names cuts "A | B" and folds each.
func names(s string) []string {
	var list []string
	for part := range strings.SplitSeq(s, "|") {
		if part = strings.TrimSpace(part); part != "*" {
			part = fold(part)
		}
		if part != "" {
			list = append(list, part)
		}
	}
	return list
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+len(sep):]), true
}

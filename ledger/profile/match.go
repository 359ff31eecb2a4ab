package profile

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"agentrecon/ledger"
)

// binding is a profile bound to the header of a file: which cell has which role.
type binding struct {
	profile  *Profile
	at       [roleCount][]int  // cells of each role: fallbacks, or parts of the text
	header   []string          // names as printed
	line     int               // of the header
	currency ledger.Currency   // that the names of the amount columns say
	lang     string            // of most of the names
	columns  map[string]int    // by folded name
	money    []ledger.Currency // that the names of columns say, by column
	score    int
	twins    [][2]int // columns of amounts that were taken by their names, and others of the same name
	oneSided bool     // the header names one direction only
	headless bool     // there is no header, and the line is that before the first row
}

func (b *binding) has(r Role) bool { return len(b.at[r]) > 0 }

// fold makes names of one column equal: case, runs of blanks, colons behind, and the width of blanks do not
// count.
func fold(s string) string {
	s = strings.TrimSpace(s)
	star := strings.HasSuffix(s, "*") && len(s) > 1
	s = strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\u00a0' || r == '\u202f' || r == '\ufeff'
	}), " "))
	s = strings.TrimRight(s, ":* ")
	if star {
		s += "*"
	}
	return s
}

// bare removes what names of amount columns say of the sign and the currency: "(-)", "(EUR)", "[€]", "in CHF".
func bare(name string) (string, ledger.Currency) {
	for _, sign := range []string{"(-)", "(+)", "(+/-)", "(−)"} {
		name = strings.TrimSpace(strings.TrimSuffix(name, sign))
	}
	rest := strings.TrimRight(name, ")]")
	i := strings.LastIndexAny(rest, " ([")
	if i <= 0 {
		return name, ""
	}
	word := strings.ToUpper(rest[i+1:])
	c, ok := symbols[word]
	if !ok {
		var err error
		if c, err = ledger.ParseCurrency(word); err != nil || len(word) != 3 {
			return name, ""
		}
	}
	before := strings.TrimRight(rest[:i], " ([")
	if rest != name { // "paid in (EUR)": the preposition is not the currency's
		return before, c
	}
	for _, preposition := range []string{" in", " en", " em"} {
		before = strings.TrimSuffix(before, preposition)
	}
	return before, c
}

// same compares a folded name of a profile with one of a header, in which characters may have been lost.
func same(known, name string) bool {
	if known == name {
		return true
	}
	if before, ok := strings.CutSuffix(known, "*"); ok && before != "" {
		if inside, ok := strings.CutPrefix(before, "*"); ok {
			return inside != "" && strings.Contains(name, inside)
		}
		return strings.HasPrefix(name, before)
	}
	if !strings.ContainsRune(name, utf8.RuneError) {
		return false
	}
	// A lost character stands for one letter, or for the two bytes of one.
	for known != "" && name != "" {
		k, kn := utf8.DecodeRuneInString(known)
		r, rn := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError {
			name = strings.TrimLeft(name, string(utf8.RuneError))
			known = known[kn:]
			continue
		}
		if k != r {
			return false
		}
		known, name = known[kn:], name[rn:]
	}
	return known == "" && name == ""
}

// header is one row read as names.
type header struct {
	line   int
	names  []string // as printed
	folded []string
	bare   []string // without currencies
	money  []ledger.Currency
}

func newHeader(row Row) *header {
	h := &header{line: row.Line}
	for _, c := range row.Cells {
		f := fold(c.Text)
		b, money := bare(f)
		h.names, h.folded, h.bare, h.money = append(h.names, c.Text), append(h.folded, f), append(h.bare, b), append(h.money, money)
	}
	return h
}

// find returns the first column with a name, or -1.
func (h *header) find(name string) int {
	for _, list := range [2][]string{h.folded, h.bare} {
		for i, n := range list {
			if n != "" && same(name, n) {
				return i
			}
		}
	}
	return -1
}

func (h *header) findAny(names []string) int {
	for _, name := range names {
		if i := h.find(name); i >= 0 {
			return i
		}
	}
	return -1
}

// findEach returns the column of the first name that the header has. Items of JSON differ in what they have, so
// there it is every name's.
func (h *header) findEach(names []string, every bool) []int {
	var at []int
	for _, name := range names {
		if i := h.find(name); i >= 0 {
			if at = append(at, i); !every {
				break
			}
		}
	}
	return at
}

// fits reports whether a header has what a profile needs.
func (p *Profile) fits(h *header) bool {
	for _, need := range p.Needs {
		if h.findAny(need) < 0 {
			return false
		}
	}
	for _, not := range p.Not {
		if h.find(not) >= 0 {
			return false
		}
	}
	return true
}

// bind finds the columns of a profile in a header that fits it.
func (p *Profile) bind(h *header) *binding {
	b := &binding{profile: p, header: h.names, line: h.line, lang: p.Lang, columns: map[string]int{}, money: h.money, score: len(p.Needs)}
	for i, name := range h.folded {
		if _, ok := b.columns[name]; !ok && name != "" {
			b.columns[name] = i
		}
	}
	for role := range roleCount {
		for _, alternatives := range p.Columns[role] {
			for _, i := range h.findEach(alternatives, p.JSON) {
				b.at[role] = append(b.at[role], i)
				b.score++
				if role.isMoney() && role != RoleOrigAmount && b.currency == "" {
					b.currency = h.money[i]
				}
			}
		}
	}
	return b
}

// choose returns the profile that fits best: the one that needs and knows most of the header.
func choose(h *header, profiles []*Profile) *binding {
	var best *binding
	for _, p := range profiles {
		if p.Lexicon || p.JSON || !p.fits(h) {
			continue
		}
		if b := p.bind(h); best == nil || b.score > best.score {
			best = b
		}
	}
	return best
}

// meaning is one role that a name has in a language, and how early it stands in the lexicon: names that say more
// stand before names that say less.
type meaning struct {
	role     Role
	rank     int
	lang     string
	currency ledger.Currency // of the country, where the language has one only
}

// lexicon is all lexicons as one.
type lexicon struct {
	names  map[string][]meaning
	sorted []string          // the names, for a search that always ends at the same
	plain  map[string]string // the names by their letters and digits alone
}

func newLexicon(profiles []*Profile) lexicon {
	x := lexicon{names: map[string][]meaning{}}
	for _, p := range profiles {
		if !p.Lexicon {
			continue
		}
		for role := range roleCount {
			rank := 0
			for _, alternatives := range p.Columns[role] {
				for _, name := range alternatives {
					x.names[name] = append(x.names[name], meaning{role: role, rank: rank, lang: p.Lang, currency: p.Currency})
					rank++
				}
			}
		}
	}
	x.sorted = slices.Sorted(maps.Keys(x.names))
	x.plain = make(map[string]string, len(x.sorted))
	for _, name := range x.sorted {
		if key := plainName(name); x.plain[key] == "" {
			x.plain[key] = name
		}
	}
	return x
}

// plainName is a folded name without what writers of exports differ in: blanks, hyphens and underscores between words,
// points behind abbreviations, accents.
func plainName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(name) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == utf8.RuneError || r == '/' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// look returns what a column of a header may mean.
func (x lexicon) look(h *header, i int) []meaning {
	if h.folded[i] == "" {
		return nil
	}
	for _, name := range [2]string{h.folded[i], h.bare[i]} {
		if m, ok := x.names[name]; ok {
			return m
		}
		if strings.ContainsRune(name, utf8.RuneError) {
			for _, known := range x.sorted {
				if same(known, name) {
					return x.names[known]
				}
			}
		}
	}
	for _, name := range [2]string{h.folded[i], h.bare[i]} {
		if known, ok := x.plain[plainName(name)]; ok {
			return x.names[known]
		}
	}
	return nil
}

// language is that of most names of a header, or nothing if two have as many.
func (x lexicon) language(h *header) string {
	names := map[string]int{}
	for i := range h.folded {
		seen := map[string]bool{}
		for _, m := range x.look(h, i) {
			if !seen[m.lang] {
				seen[m.lang] = true
				names[m.lang]++
			}
		}
	}
	best, most := "", 0
	for _, lang := range slices.Sorted(maps.Keys(names)) {
		switch n := names[lang]; {
		case n > most:
			best, most = lang, n
		case n == most:
			best = ""
		}
	}
	return best
}

// bind gives every column the role that its name and its values allow. It returns nil unless there is a date
// and an amount.
func (x lexicon) bind(h *header, sample []Row, words *Profile) *binding {
	b := &binding{profile: words, header: h.names, line: h.line, columns: map[string]int{}, money: h.money}
	langs := map[string]int{}
	best := [roleCount]int{}
	var country ledger.Currency
	for i := range h.folded {
		if _, ok := b.columns[h.folded[i]]; !ok && h.folded[i] != "" {
			b.columns[h.folded[i]] = i
		}
		for _, m := range x.look(h, i) {
			if m.role.isMoney() && b.beside(m.role, i, h, sample, words) {
				break
			}
			if !allowed(m.role, i, sample, words) {
				continue
			}
			if m.role == RoleText {
				b.at[m.role] = append(b.at[m.role], i)
			} else if !b.has(m.role) || m.rank < best[m.role] {
				b.at[m.role], best[m.role] = []int{i}, m.rank
			} else {
				continue
			}
			b.score++
			langs[m.lang]++
			country = cmp.Or(country, m.currency)
			if m.role.isMoney() && m.role != RoleOrigAmount && b.currency == "" {
				b.currency = h.money[i]
			}
			break
		}
	}
	if !b.has(RoleBookedOn) && b.has(RoleValueOn) {
		b.at[RoleBookedOn] = b.at[RoleValueOn]
	}
	if !b.has(RoleBookedOn) || !b.has(RoleAmount) && !b.has(RoleCredit) && !b.has(RoleDebit) || !b.complement(sample) || b.divided(sample) {
		return nil
	}
	b.findTwins(h)
	b.doubtDirection(sample, words)
	b.findDirection(sample, words)
	if len(sample) == 0 {
		b.score = 0 // the header again, at the end of a file
	}
	for lang, n := range langs {
		if n > langs[b.lang] || n == langs[b.lang] && lang < b.lang {
			b.lang = lang
		}
	}
	if country != "" {
		own := *words
		own.Currency = country
		b.profile = &own
	}
	return b
}

// findTwins finds the columns that have the name of a column of amounts.
func (b *binding) findTwins(h *header) {
	for role := range roleCount {
		if !role.isMoney() {
			continue
		}
		for _, taken := range b.at[role] {
			for i, name := range h.folded {
				if i != taken && name != "" && name == h.folded[taken] {
					b.twins = append(b.twins, [2]int{min(i, taken), max(i, taken)})
				}
			}
		}
	}
}

// beside gives the role to the column right of the named one, if that has no name and holds the amounts, and the named
// one their currencies.
func (b *binding) beside(role Role, i int, h *header, sample []Row, words *Profile) bool {
	if i+1 >= len(h.folded) || h.folded[i+1] != "" || b.has(role) {
		return false
	}
	rows := 0
	for _, row := range sample {
		if i+1 >= len(row.Cells) || row.Cells[i].Text == "" {
			continue
		}
		if _, err := ledger.ParseCurrency(row.Cells[i].Text); err != nil {
			return false
		}
		rows++
	}
	if rows == 0 || !allowed(role, i+1, sample, words) {
		return false
	}
	b.at[role] = []int{i + 1}
	if !b.has(RoleCurrency) && role != RoleBalance {
		b.at[RoleCurrency] = []int{i}
	}
	b.score++
	return true
}

// doubtDirection takes the role from a column of directions with words that are none, where the amounts say the
// direction themselves: some banks call the kind of an entry so.
func (b *binding) doubtDirection(sample []Row, words *Profile) {
	if !b.has(RoleDirection) {
		return
	}
	signed, other := b.has(RoleCredit) && b.has(RoleDebit), false
	for _, row := range sample {
		if i := b.at[RoleDirection][0]; i < len(row.Cells) && row.Cells[i].Text != "" {
			other = other || words.Directions[fold(row.Cells[i].Text)] == 0
		}
		for _, i := range b.at[RoleAmount] {
			if i < len(row.Cells) {
				n, ok, err := parseNumber(row.Cells[i].Text)
				signed = signed || ok && err == nil && n.negative
			}
		}
	}
	if signed && other {
		b.at[RoleDirection] = nil
	}
}

// findDirection gives the role to a column that holds nothing but words for directions, one beside each amount, where
// no amount has a sign: without it all money would have come in.
func (b *binding) findDirection(sample []Row, words *Profile) {
	if b.has(RoleDirection) || b.has(RoleCredit) || b.has(RoleDebit) || !b.has(RoleAmount) {
		return
	}
	amount := b.at[RoleAmount][0]
	used := b.used()
	for _, role := range []Role{RoleKind, RoleText, RoleStatus} {
		for _, i := range b.at[role] {
			used[i] = false
		}
	}
	for i, name := range b.header {
		if used[i] || isMeans(name) {
			continue
		}
		rows := 0
		for _, row := range sample {
			if amount >= len(row.Cells) || row.Cells[amount].Text == "" {
				continue
			}
			n, ok, err := parseNumber(row.Cells[amount].Text)
			switch {
			case err != nil || !ok:
				continue
			case n.negative:
				return
			case i >= len(row.Cells) || words.Directions[fold(row.Cells[i].Text)] == 0:
				rows = -len(sample)
			}
			rows++
		}
		if rows > 0 {
			b.at[RoleDirection] = []int{i}
			return
		}
	}
}

// isMeans reports whether a name is that of a means of payment: kinds of cards are called debit and credit too.
func isMeans(name string) bool {
	name = fold(name)
	for _, word := range []string{"card", "karte", "carte", "carta", "kaart", "tarjeta", "карт", "funding", "method", "instrument", "tender", "zahlungsart", "zahlart", "moyen"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// complement finds the column of the other direction where the header names one direction only: the column of
// amounts that is filled in just those dated rows where the known one is not. It reports false if several may be it:
// reading one direction alone would drop half of the money without a word.
func (b *binding) complement(sample []Row) bool {
	if b.has(RoleCredit) == b.has(RoleDebit) || b.has(RoleAmount) || b.has(RoleNet) {
		return true
	}
	known, missing := RoleCredit, RoleDebit
	if b.has(RoleDebit) {
		known, missing = RoleDebit, RoleCredit
	}
	used := b.used()
	var found []int
	for i, name := range b.header {
		if !used[i] && name != "" && complements(sample, b.at[RoleBookedOn][0], b.at[known][0], i) {
			found = append(found, i)
		}
	}
	if len(found) == 1 {
		b.at[missing] = found
	}
	b.oneSided = len(found) == 0
	return len(found) <= 1
}

// divided reports whether a column that nobody knows holds the amounts of just those rows where the amount is zero: two
// directions or accounts in two columns, of which one alone would be half of the money.
func (b *binding) divided(sample []Row) bool {
	if !b.has(RoleAmount) || b.has(RoleCredit) || b.has(RoleDebit) {
		return false
	}
	used := b.used()
	for i, name := range b.header {
		if !used[i] && name != "" && complements(sample, b.at[RoleBookedOn][0], b.at[RoleAmount][0], i) {
			return true
		}
	}
	return false
}

// used tells the columns that have a role.
func (b *binding) used() map[int]bool {
	used := map[int]bool{}
	for role := range roleCount {
		for _, i := range b.at[role] {
			used[i] = true
		}
	}
	return used
}

// complements reports whether a column holds amounts in all dated rows where another does not, in one row at least,
// and nowhere beside it but zero.
func complements(sample []Row, date, known, i int) bool {
	rows := 0
	for _, row := range sample {
		if date >= len(row.Cells) || known >= len(row.Cells) {
			continue
		}
		if _, err := dayOf(row.Cells[date]); err != nil {
			continue
		}
		n, given, err := parseNumber(row.Cells[known].Text)
		if err != nil {
			return false
		}
		var m number
		other := false
		if i < len(row.Cells) {
			if m, other, err = parseNumber(row.Cells[i].Text); err != nil {
				return false
			}
		}
		given, other = given && !isZero(n.digits), other && !isZero(m.digits)
		if given && other {
			return false
		}
		if other {
			rows++
		} else if !given {
			return false
		}
	}
	return rows > 0
}

// allowed reports whether the values below a name can have a role: a column called "Valuta" has dates in one
// country and currencies in another.
func allowed(role Role, i int, sample []Row, words *Profile) bool {
	seen, good := 0, 0
	for _, row := range sample {
		if i >= len(row.Cells) || row.Cells[i].Text == "" {
			continue
		}
		text := row.Cells[i].Text
		seen++
		switch {
		case role.isDate():
			if _, err := dayOf(row.Cells[i]); err == nil {
				good++
			}
		case role.isMoney():
			if _, _, err := parseNumber(text); err == nil {
				good++
			}
		case role == RoleDirection:
			if words.Directions[fold(text)] != 0 {
				good++
			}
		case role == RoleCurrency || role == RoleOrigCurrency || role == RoleFeeCurrency:
			if len(text) == 3 && strings.ToUpper(text) != strings.ToLower(text) || len(symbols[text]) > 0 {
				good++
			}
		default:
			good++
		}
	}
	return good*2 >= seen
}

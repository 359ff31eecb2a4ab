package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentrecon/recon"
)

// newMethod renders the decision table, its axes, the classes, tiers, parameters and limits.
func newMethod(b *book) *grid {
	g := &grid{sheet: SheetMethod, widths: []float64{28, 26, 26, 26, 26, 44}, heads: 4}
	g.title("Method", "How each class is decided. The table below is the program's own; there is no other place where it decides.", b.runLine())
	g.gap()
	methodTable(g)
	methodAxes(g)
	methodClasses(g)
	methodLinks(g)
	methodParameters(b, g)
	methodLimits(g)
	return g
}

// wide is a row of a label and one text that runs over the columns beside it.
func wide(g *grid, label, text string) {
	row := []cell{words(label, labelLook), words(text, lined)}
	for len(row) < len(g.widths) {
		row = append(row, blank(lined))
	}
	// Text that is longer than the sheet is broken by hand, for cells are never merged.
	const most = 150
	pieces := broken(text, most)
	row[1] = words(pieces[0], lined)
	if len(pieces) > 1 {
		for i := range row {
			row[i].style.line = false
		}
	}
	g.add(row...)
	for i, piece := range pieces[1:] {
		last := i == len(pieces)-2
		row := []cell{blank(plain), words(piece, plain)}
		for len(row) < len(g.widths) {
			row = append(row, blank(plain))
		}
		for k := range row {
			row[k].style.line = last
		}
		g.add(row...)
	}
}

// broken breaks a text at blanks into pieces of at most so many characters.
func broken(text string, most int) []string {
	var pieces []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && units16(line)+1+units16(word) > most {
			pieces = append(pieces, line)
			line = word
			continue
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(pieces, line)
}

// methodTable prints the decision table from the one place where it is written.
func methodTable(g *grid) {
	g.section(fmt.Sprintf("1. Decision table of attempts, rule set %s: settlement (down) × outcome (across) → class", recon.RuleSet))
	head := []string{"Settlement"}
	for _, c := range recon.OutcomeColumns {
		head = append(head, c.Name)
	}
	g.head(head...)
	for _, rule := range recon.Rules {
		row := []cell{words(string(rule.Settlement), labelLook)}
		for _, class := range rule.Classes {
			row = append(row, words(string(class), lined))
		}
		g.add(row...)
	}
	g.add(words("…_variance: payee_variance, currency_variance or amount_variance, by the first of these that differs.", italicLook))
	g.gap()
}

func methodAxes(g *grid) {
	g.section("2. Settlement: what the ledger says of an attempt")
	for _, w := range ledgerWords {
		wide(g, string(w.settlement), w.means+" Money moved? "+w.moved+".")
	}
	g.gap()
	g.section("3. Outcome: what the platform's observations come to")
	for _, w := range outcomeWords {
		wide(g, string(w.outcome), w.means)
	}
	g.gap()
}

// methodClasses says of every class what it means and where it is listed.
func methodClasses(g *grid) {
	g.section("4. Classes: every item of a population has exactly one, and every class has one sheet")
	g.head("Class", "Population and kind", "Priority", "Sheet", "Meaning", "")
	for _, p := range []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes} {
		for _, info := range recon.ClassesOf(p) {
			place := placeOf(p, info.Class)
			sheet := string(place.Sheet)
			if !place.Listed {
				sheet = "not listed, but for notes"
			}
			g.add(words(string(info.Class), labelLook), words(fmt.Sprintf("%s, %s", p, kindName(info.Kind)), lined), words(priorityWord(info.Priority), lined),
				words(sheet, lined), words(info.Meaning, lined), blank(lined))
		}
	}
	g.gap()
}

func methodLinks(g *grid) {
	g.section("5. Links of attempts to ledger entries, strongest tier first; each entry belongs to one attempt")
	for _, t := range tierWords {
		wide(g, t.name, t.rule)
	}
	wide(g, "Never", "Amount alone is no key. Two keys or references of one namespace that are given and differ forbid a link. Keys are compared whole, never by \"contains\". Currencies that differ never link by reference or attributes.")
	g.gap()
	g.section("6. Flags: annotations that never change a class")
	for _, f := range flagWords {
		wide(g, string(f.flag), f.means)
	}
	g.gap()
}

// methodParameters prints the policy: the same books under the same policy give the same result.
func methodParameters(b *book, g *grid) {
	p := b.report.Policy
	accounts := "every account of the ledger"
	if len(p.Accounts) > 0 {
		accounts = show(named(p.Accounts, ", "), false)
	}
	g.section("7. Parameters of this run")
	for _, row := range []struct{ name, value string }{
		{"Stale after", spanWords(p.StaleAfter) + " without a definite outcome"},
		{"Settlement window", windowWords(p)},
		{"Clock skew", spanWords(p.ClockSkew) + ": how far the ledger's clock may be behind the recorder's"},
		{"Re-ask window", spanWords(p.ReaskWindow) + ": a like attempt this soon after another is a suspected re-ask"},
		{"Tolerance", tolerancesWords(p)},
		{"Fee rules", feeWords(p.FeeRules)},
		{"Cut references", cutWords(p.ReferenceCuts)},
		{"Currency", fmt.Sprintf("%s for attempts recorded without one", p.Currency)},
		{"Accounts in scope", accounts},
		{"Zone", zoneOf(b.report).String() + ": days and windows are read in it"},
		{"Systemic threshold", fmt.Sprintf("%d unknowns of one session, of one host, or of one version of a harness, count as one outage", p.SystemicThreshold)},
		{"Scope rules", scopeWords(p.Scope)},
	} {
		wide(g, row.name, row.value)
	}
	g.gap()
}

// windowWords says when the settlement window ends, and which days do not count.
func windowWords(p recon.Policy) string {
	if !p.BusinessDays {
		return fmt.Sprintf("to the end of calendar day %d after the attempt's day", p.SettlementWindowDays)
	}
	off := []string{"Saturdays", "Sundays"}
	for _, day := range p.Holidays {
		off = append(off, day.String())
	}
	return fmt.Sprintf("to the end of business day %d after the attempt's day; not counted: %s", p.SettlementWindowDays, strings.Join(off, ", "))
}

func tolerancesWords(p recon.Policy) string {
	parts := []string{toleranceWords(p.Tolerance)}
	for _, t := range p.Tolerances {
		parts = append(parts, fmt.Sprintf("%s: %s", t.Currency, toleranceWords(t.Tolerance)))
	}
	return strings.Join(parts, "; ")
}

func feeWords(rules []recon.FeeRule) string {
	if len(rules) == 0 {
		return "none: where the ledger gives no gross amount, what moved must be the amount attempted"
	}
	parts := make([]string, len(rules))
	for i, r := range rules {
		parts[i] = r.String()
	}
	return "at most " + strings.Join(parts, ", ") + " on top where the ledger gives no gross amount; listed as agreed within tolerance, with the fee"
}

func cutWords(cuts []int) string {
	if len(cuts) == 0 {
		return "none: references agree as a whole"
	}
	parts := make([]string, len(cuts))
	for i, n := range cuts {
		parts[i] = strconv.Itoa(n)
	}
	return "a reference of exactly " + strings.Join(parts, " or ") + " characters agrees with what begins with it"
}

func toleranceWords(t recon.Tolerance) string {
	if t.PerMillion > 0 {
		return t.String() + " of the attempt's amount"
	}
	if t.Minor == 0 {
		return "none: amounts must be equal"
	}
	return t.String() + " minor units"
}

// spanWords prints a duration without the noise of zero parts.
func spanWords(d time.Duration) string {
	if d%time.Hour == 0 && d > 0 {
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	if d%time.Minute == 0 && d > 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return d.String()
}

func scopeWords(rules []recon.ScopeRule) string {
	if len(rules) == 0 {
		return "built in only: fees, conversions, payouts, top-ups, interest, taxes, reserves and carried balances are out of scope"
	}
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = show(r.Name, false)
	}
	return "built in, and: " + named(names, "; ")
}

// limits say what the method cannot do.
var limits = []struct{ name, text string }{
	{"Attempts", "Only what the recorder saw. A payment ordered past the recorder shows as a ledger entry without an attempt."},
	{"Outcomes", "A reported failure is no proof that no money moved; the ledger decides that."},
	{"Ledger", "Files as imported. A conclusion of absence needs a statement that covers the account and the whole window; else nothing is concluded."},
	{"Inferred links", "Links by reference or attributes rest on likeness. Where several fit and nothing decides, the item is ambiguous and listed."},
	{"Degraded ids", "With a hash or a time window for an id, two calls may have collapsed into one recorded attempt."},
	{"Amounts", "Sums add integer minor units. Amounts of 15 digits and more are shown as text and worked out by the program alone, for a spreadsheet would round them."},
	{"Agreed attempts", "Implied by the run and not listed: sources less everything listed. The formula is on Checks."},
}

func methodLimits(g *grid) {
	g.section("8. Limits")
	for _, l := range limits {
		wide(g, l.name, l.text)
	}
	wide(g, "Not tested", notTested)
}

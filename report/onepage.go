package report

import (
	"fmt"
	"strings"

	"agentrecon/recon"
)

// OnePage is the result on one page of Markdown: for a pull request, a wiki or a printer.
func OnePage(r *recon.Report, sum Summary) string {
	b := &book{report: r, index: newIndex(r)}
	b.lists = b.makeLists()
	p := &page{}
	p.line("# Reconciliation of agent payments, %s", mark(r.Period.String()))
	p.line("")
	p.line("**%s.** %s", sum.State, mark(sum.Sentence))
	p.line("")
	p.line("%s. Entity: %s. %s", mark(b.runLine()), mark(orUnnamed(r.Entity)), notTested)
	p.classes(r)
	p.breaks(b)
	if len(r.Bridge) > mostCurrencies {
		p.bridges(r.Bridge)
	} else {
		for _, bridge := range r.Bridge {
			p.bridge(bridge)
		}
	}
	p.act(r)
	p.checks(r)
	p.line("\n%s%s.", strings.ToUpper(decisionsShort(r)[:1]), decisionsShort(r)[1:])
	p.line("")
	if recorded(r) {
		p.line("Run %d, rule set %s, evidence `%s`, digest `%s`.", r.Run.ID, mark(r.Run.RuleSet), short(r.Run.EvidenceDigest), short(r.Run.Digest))
	} else {
		p.line("Rule set %s; %s.", mark(r.Run.RuleSet), chainShort(r))
	}
	return p.String()
}

func orUnnamed(entity string) string {
	if entity == "" {
		return "not named"
	}
	return show(entity, false)
}

// page builds Markdown.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// mark keeps text from outside from becoming markup.
func mark(s string) string {
	return strings.NewReplacer(
		"\n", " ", `\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "#", `\#`, "[", `\[`, "]", `\]`, "!", `\!`,
	).Replace(s)
}

func (p *page) classes(r *recon.Report) {
	for _, list := range []struct {
		name   string
		totals recon.PopulationTotals
		p      recon.Population
	}{{"Attempts", r.Totals.Attempts, recon.Attempts}, {"Ledger entries", r.Totals.Entries, recon.Entries}, {"Outcomes", r.Totals.Outcomes, recon.Outcomes}} {
		p.line("\n| %s | count | value | kind |\n|---|---:|---:|---|", list.name)
		for _, t := range list.totals.Classes {
			value := ""
			if list.p != recon.Outcomes {
				value = sumWords(t.Minor)
			}
			p.line("| %s | %s | %s | %s |", t.Class, grouped(t.Count), value, kindName(recon.InfoOf(list.p, t.Class).Kind))
		}
		p.line("| **total** | **%s** | | |", grouped(list.totals.Count))
	}
}

func (p *page) breaks(b *book) {
	p.line("\n| net and gross | net count | net value | gross |\n|---|---:|---:|---:|")
	for _, c := range b.currencies() {
		s := b.breaksOf(c)
		p.line("| %s | %s | %s | %s |", currencyWord(c), signedCount(s.count), moneyWords(s.net, c), moneyWords(s.gross, c))
	}
}

// bridge prints the lines that are not nil, and every total.
func (p *page) bridge(bridge recon.BridgeCurrency) {
	p.line("\n| bridge, %s | count | value |\n|---|---:|---:|", currencyWord(bridge.Currency))
	for _, l := range bridge.Lines {
		if !l.Total && l.Count == 0 && l.Minor == 0 {
			continue
		}
		value := ""
		if !l.NoValue {
			value = moneyWords(l.Minor, bridge.Currency)
		}
		p.line("| %s | %s | %s |", l.Label, grouped(l.Count), value)
	}
}

// bridges prints the totals of many bridges: all their lines would not fit a page.
func (p *page) bridges(bridges []recon.BridgeCurrency) {
	p.line("\n| bridge | attempts | linked | booked in scope | value booked |\n|---|---:|---:|---:|---:|")
	for _, b := range bridges {
		booked := b.Line(recon.LineBookedInScope)
		p.line("| %s | %s | %s | %s | %s |", currencyWord(b.Currency), grouped(b.Line(recon.LineAttempts).Count), grouped(b.Line(recon.LineLinked).Count),
			grouped(booked.Count), moneyWords(booked.Minor, b.Currency))
	}
}

func (p *page) act(r *recon.Report) {
	classes := actingClasses(r)
	if len(classes) == 0 {
		p.line("\nNothing to act on.")
		return
	}
	p.line("\n| to act on | class | count | value | first item | do next |\n|---|---|---:|---:|---|---|")
	for _, c := range classes {
		p.line("| %s | %s | %s | %s | %s | %s |", priorityWord(c.info.Priority), c.info.Class, grouped(c.tally.Count), sumWords(c.tally.Minor), mark(cut(c.first)), c.info.DoNext)
	}
}

func (p *page) checks(r *recon.Report) {
	differ := 0
	for _, c := range r.Checks {
		if !c.OK() {
			differ++
		}
	}
	p.line("\n%d of %d tie-outs of the run differ; %s. Open from earlier periods: %s.", differ, len(r.Checks), coverageShort(r), items(len(openEarlier(r)), "item"))
	p.line("\n| read from the sources | attempts | value | ledger rows | booked |\n|---|---:|---:|---:|---:|")
	for _, c := range (&book{report: r}).currencies() {
		s := r.Controls.Attempts.Of(c)
		p.line("| %s | %s | %s | %s | %s |", currencyWord(c), grouped(s.Count), moneyWords(s.Minor, c),
			grouped(r.Controls.Entries.Of(c).Count), grouped(r.Controls.Booked.Of(c).Count))
	}
}

package recontest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Night is a part of a world that comes to light before a run, and how the run is made.
type Night struct {
	World
	Late    bool // what hooks write of it is committed after the run only
	Request recon.Request
	Full    bool // the run is to look at everything
}

// DrawNights makes one or two worlds that come to light in nights, in any order: what [Draw] makes, and beside it whatever
// lets what is recorded later change what was concluded before. The last night brings nothing new.
//
// Entries, coverage and statements of a night are those of one file; coverage may be said later of an earlier one.
func DrawNights(t *rapid.T) []Night {
	w := Draw(t)
	if rapid.Bool().Draw(t, "two worlds") {
		w = w.beside(Draw(t))
	}
	w.addEchoes(t)
	w.addNamesakes(t)
	w.addStages(t)
	nights := make([]Night, rapid.IntRange(3, 6).Draw(t, "nights"))
	d := dealer{nights: nights[:len(nights)-1], early: rapid.IntRange(0, 2).Draw(t, "early")}
	d.rand = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	d.deal(w)
	d.dealStatements(t)
	drawRuns(t, nights)
	return nights
}

// beside puts another world beside this one, some of whose outcomes are of attempts of this one.
func (w World) beside(other World) World {
	for n := range other.Attempts {
		other.Attempts[n].ID = "b" + other.Attempts[n].ID
	}
	for n := range other.Entries {
		other.Entries[n].ID = "b" + other.Entries[n].ID
	}
	for n := range other.Outcomes {
		if n%2 == 0 {
			other.Outcomes[n].AttemptID = "b" + other.Outcomes[n].AttemptID
		}
	}
	return w.Grown(other)
}

// Grown is the world with more rows in each population. The files know the coverage that was said of them since.
func (w World) Grown(more World) World {
	w = World{
		Attempts: slices.Concat(w.Attempts, more.Attempts), Outcomes: slices.Concat(w.Outcomes, more.Outcomes), Sessions: slices.Concat(w.Sessions, more.Sessions),
		Deliveries: slices.Concat(w.Deliveries, more.Deliveries), Entries: slices.Concat(w.Entries, more.Entries), Coverage: slices.Concat(w.Coverage, more.Coverage),
		Marks: slices.Concat(w.Marks, more.Marks), Sources: slices.Concat(w.Sources, more.Sources),
	}
	for n := range w.Sources {
		w.Sources[n].Coverage = nil
		for _, c := range w.Coverage {
			if c.File == w.Sources[n].Name {
				w.Sources[n].Coverage = append(w.Sources[n].Coverage, c)
			}
		}
	}
	return w
}

// addEchoes asks for some attempts again, within the window in which that is suspect or just beyond it.
func (w *World) addEchoes(t *rapid.T) {
	for n := range rapid.IntRange(0, 3).Draw(t, "echoes") {
		if len(w.Attempts) == 0 {
			return
		}
		a := pick(t, "echo of", w.Attempts...)
		a.ID, a.IDSource = fmt.Sprint("c", n), pick(t, "id source", recon.IDSources...)
		a.ProposedAt = a.ProposedAt.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "after")) * 6 * time.Minute)
		a.IdempotencyKey = pick(t, "key", a.IdempotencyKey, "", "k3")
		w.Attempts = append(w.Attempts, a)
		if rapid.Bool().Draw(t, "heard") {
			w.Outcomes = append(w.Outcomes, drawOutcome(t, a.ID))
		}
	}
}

// addNamesakes adds attempts of the ids that outcomes without an attempt have, and of their arguments: what was joined by
// its arguments is joined by its id then, or by nothing.
func (w *World) addNamesakes(t *rapid.T) {
	for _, id := range []string{"x1", "x2"} {
		if rapid.IntRange(0, 3).Draw(t, "namesake") == 0 {
			w.Attempts = append(w.Attempts, recon.Attempt{
				ID: id, Minor: drawAmount(t), Currency: drawCurrency(t), DestAccount: drawPayee(t), Reference: drawReference(t), IDSource: recon.IDToolUse,
				SessionID: pick(t, "session", "", "s1"), ArgsSHA256: pick(t, "args", "", "h1", "h2"), ProposedAt: drawInstant(t),
			})
		}
	}
}

// addStages announces some entries before they are booked, by id, by reference or as parts of a batch.
func (w *World) addStages(t *rapid.T) {
	for n := range w.Entries {
		e := w.Entries[n]
		if e.Status != ledger.StatusBooked || e.Report != "" || rapid.IntRange(0, 4).Draw(t, "announced") > 0 {
			continue
		}
		stage := e
		switch pick(t, "as", 0, 1, 2, 3) {
		case 0:
			stage.Status = ledger.StatusPending
			stage.ID = e.ID + ledger.StageMark + string(stage.Status)
		case 1:
			stage.ID, stage.Report = e.ID+"n", pick(t, "report", ledger.ReportIntraday, ledger.ReportNotification)
		case 2:
			stage.ID, stage.Status, stage.BookedOn = e.ID+"p", ledger.StatusPending, e.BookedOn.AddDays(-rapid.IntRange(0, 7).Draw(t, "days"))
			stage.OccurredAt = time.Time{}
		default:
			w.Entries[n].GroupID, w.Entries[n].Children = "g", nil
			stage.ID, stage.Report, stage.GroupID, stage.Children = e.ID+"m1", ledger.ReportNotification, "g", nil
			other := stage
			other.ID, other.Amount = e.ID+"m2", e.Amount/2
			stage.Amount -= other.Amount
			other.IdempotencyKey, other.EndToEndID, other.MerchantReference = drawKey(t), drawKey(t), drawReference(t)
			w.Entries = append(w.Entries, other)
		}
		w.Entries = append(w.Entries, stage)
	}
}

// dealer deals the rows of a world out to nights.
type dealer struct {
	nights []Night
	early  int // the greater, the more is there from the start
	rand   *rand.Rand
}

func (d *dealer) any() *Night {
	if d.early > 0 && d.rand.IntN(d.early+1) > 0 {
		return &d.nights[0]
	}
	return &d.nights[d.rand.IntN(len(d.nights))]
}

func dealt[T any](d *dealer, rows []T, of func(*Night) *[]T) {
	for _, row := range rows {
		to := of(d.any())
		*to = append(*to, row)
	}
}

func fileOf(night int) string { return fmt.Sprint("part ", night) }

func (d *dealer) deal(w World) {
	slices.SortFunc(w.Attempts, func(a, b recon.Attempt) int { return a.ProposedAt.Compare(b.ProposedAt) })
	if len(w.Attempts) > 0 { // so that the first recorded attempt stays the first
		d.nights[0].Attempts = append(d.nights[0].Attempts, w.Attempts[0])
		w.Attempts = w.Attempts[1:]
	}
	dealt(d, w.Attempts, func(n *Night) *[]recon.Attempt { return &n.Attempts })
	dealt(d, firstOfEach(w.Outcomes, sameObservation), func(n *Night) *[]recon.Outcome { return &n.Outcomes })
	d.rand.Shuffle(len(w.Entries), func(i, j int) { w.Entries[i], w.Entries[j] = w.Entries[j], w.Entries[i] })
	dealt(d, w.Entries, func(n *Night) *[]ledger.Entry { return &n.Entries })
	dealt(d, firstOfEach(w.Sessions, func(a, b recon.SessionEvent) bool { return a == b }), func(n *Night) *[]recon.SessionEvent { return &n.Sessions })
	dealt(d, w.Deliveries, func(n *Night) *[]recon.Delivery { return &n.Deliveries })
	dealt(d, w.Coverage, func(n *Night) *[]ledger.Coverage { return &n.Coverage })
	for n := range d.nights {
		night := &d.nights[n]
		for at := range night.Entries {
			night.Entries[at].File = fileOf(n)
		}
		for at := range night.Coverage {
			// Days of an earlier file may be said later.
			night.Coverage[at].File = fileOf(n)
			if n > 0 && d.rand.IntN(3) == 0 {
				night.Coverage[at].File, night.Coverage[at].Inferred = fileOf(d.rand.IntN(n)), false
			}
		}
	}
}

// sameObservation reports whether two outcomes are of one moment, which no store keeps two contents of.
func sameObservation(a, b recon.Outcome) bool {
	return a.AttemptID == b.AttemptID && a.ObservedAt.Equal(b.ObservedAt)
}

func firstOfEach[T any](rows []T, same func(a, b T) bool) []T {
	var kept []T
	for _, row := range rows {
		if !slices.ContainsFunc(kept, func(k T) bool { return same(k, row) }) {
			kept = append(kept, row)
		}
	}
	return kept
}

// dealStatements deals out statements of one account, whose balances and numbers follow on each other or do not: coverage
// comes, and goes again when a later statement shows that something is missing. Every night has one file.
func (d *dealer) dealStatements(t *rapid.T) {
	day := ledger.DateOf(Start, time.UTC).AddDays(rapid.IntRange(-2, 2).Draw(t, "first statement"))
	account := pick(t, "account of statements", "", "S1", "S2")
	balance := int64(1000)
	for n := range d.nights {
		file := ledger.SourceFile{Name: fileOf(n), Population: "ledger"}
		d.nights[n].Sources = []ledger.SourceFile{file}
	}
	for n := range rapid.IntRange(0, 4).Draw(t, "statements") {
		if rapid.IntRange(0, 4).Draw(t, "gap") == 0 {
			day = day.AddDays(rapid.IntRange(1, 2).Draw(t, "days between"))
		}
		s := ledger.Statement{AccountID: account, ID: fmt.Sprint(n), Sequence: fmt.Sprint(n + 1), Currency: "EUR", From: day, To: day.AddDays(rapid.IntRange(1, 9).Draw(t, "days"))}
		if rapid.IntRange(0, 3).Draw(t, "broken") == 0 {
			balance++
		}
		if rapid.IntRange(0, 5).Draw(t, "balances") > 0 {
			s.Opening = ledger.Balance{Amount: ledger.Some(balance), On: s.From}
			balance -= int64(rapid.IntRange(0, 1).Draw(t, "moved")) * 100
			s.Closing = ledger.Balance{Amount: ledger.Some(balance), On: s.To.AddDays(-1)}
		}
		if rapid.IntRange(0, 5).Draw(t, "lost") > 0 {
			at := d.rand.IntN(len(d.nights))
			night := &d.nights[at]
			night.Sources[0].Statements = append(night.Sources[0].Statements, s)
			night.Coverage = append(night.Coverage, ledger.Coverage{AccountID: account, From: s.From, To: s.To, File: fileOf(at)})
		}
		day = s.To
	}
}

// drawRuns says how the runs are made: mostly by one policy, each as of a later moment.
func drawRuns(t *rapid.T, nights []Night) {
	policy := DrawPolicy(t)
	policy.SystemicThreshold = rapid.IntRange(1, 3).Draw(t, "systemic")
	changes := -1
	if rapid.IntRange(0, 5).Draw(t, "policy changes") == 0 {
		changes = rapid.IntRange(1, len(nights)-1).Draw(t, "before night")
	}
	asOf := Start.AddDate(0, 0, rapid.IntRange(-1, 12).Draw(t, "first night"))
	for n := range nights {
		if n == changes {
			policy = DrawPolicy(t)
		}
		nights[n].Late = n > 0 && n < len(nights)-1 && rapid.IntRange(0, 2).Draw(t, "late") == 0
		nights[n].Full = rapid.IntRange(0, 9).Draw(t, "full") == 0
		nights[n].Request = recon.Request{AsOf: asOf, Policy: policy}
		asOf = asOf.Add(time.Duration(rapid.IntRange(0, 6*24*60).Draw(t, "minutes")) * time.Minute)
	}
}

// DrawPolicy draws what a run may be told.
func DrawPolicy(t *rapid.T) recon.Policy {
	policy := recon.DefaultPolicy()
	policy.SystemicThreshold = 2
	policy.SettlementWindowDays = pick(t, "window", 0, 1, 5)
	policy.Tolerance = pick(t, "tolerance", recon.Tolerance{}, recon.Tolerance{Minor: 1}, recon.Tolerance{PerMillion: 500_000})
	policy.Tolerances = pick(t, "tolerances", nil, []recon.CurrencyTolerance{{Currency: "USD", Tolerance: recon.Tolerance{Minor: 100}}}, []recon.CurrencyTolerance{{Currency: "EUR"}})
	policy.FeeRules = pick(t, "fees", nil, []recon.FeeRule{{Currency: "EUR", Fixed: 1}}, []recon.FeeRule{{Currency: "EUR", PerMillion: 5_000}, {Currency: "USD", Fixed: 50, PerMillion: 500_000}})
	policy.ReferenceCuts = pick(t, "cuts", nil, []int{16}, []int{16, 17})
	policy.Scope = pick(t, "scope", nil, nil, []recon.ScopeRule{{Name: "text", Text: "R2"}}, []recon.ScopeRule{{Name: "both", Counterparty: "d2", Account: "s 1"}, {Name: "kind", Kinds: []ledger.Kind{ledger.KindRefund}}})
	if policy.BusinessDays = rapid.Bool().Draw(t, "business days"); policy.BusinessDays {
		first := ledger.DateOf(Start, time.UTC)
		policy.Holidays = pick(t, "holidays", nil, []ledger.Date{first.AddDays(1), first.AddDays(2)}, []ledger.Date{first.AddDays(5), first.AddDays(8)})
	}
	policy.Accounts = pick(t, "accounts", nil, nil, []string{"S1"})
	zone, err := time.LoadLocation(pick(t, "zone", "UTC", "Europe/Berlin", "America/New_York"))
	if err != nil {
		t.Fatal(err)
	}
	policy.Zone = zone
	return policy
}

// ByItem sorts listed items by population and item.
func ByItem(a, b recon.OpenItem) int {
	return cmp.Or(cmp.Compare(a.Population, b.Population), cmp.Compare(a.Item, b.Item))
}

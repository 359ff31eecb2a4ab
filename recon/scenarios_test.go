package recon_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// scenario is one situation of fixtures/scenarios; its README explains the format.
type scenario struct {
	path    string
	archive *txtar.Archive
	world   recontest.World
	request recon.Request
	covers  ledger.Period
	bare    bool // the ledger says nothing of what it covers
}

func scenarioPaths(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../fixtures/scenarios/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	return paths
}

func openScenario(t *testing.T, path string) *scenario {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{path: path, archive: archive, request: recon.Request{Policy: recon.DefaultPolicy()}}
	s.readPolicy(t)
	for _, f := range archive.Files {
		switch f.Name {
		case "policy", "want":
		case "deliveries.csv":
			for _, row := range csvRows(t, f, "attempt_id", "received_at", "args_sha256") {
				s.world.Deliveries = append(s.world.Deliveries, recon.Delivery{AttemptID: row[0], ReceivedAt: instant(t, row[1]), ArgsSHA256: row[2]})
			}
		case "parts.csv":
			for _, row := range csvRows(t, f, "entry_id", "amount", "counterparty_account", "end_to_end_id", "remittance_text") {
				s.addPart(t, row)
			}
		case "marks.csv":
			for _, row := range csvRows(t, f, "attempt_id", "marked_at") {
				s.world.Marks = append(s.world.Marks, recon.Mark{AttemptID: row[0], RunID: 1, MarkedAt: instant(t, row[1])})
			}
		default:
			options := ledger.ReadOptions{DefaultCurrency: "EUR", Zone: s.request.Policy.Zone, Covers: s.covers}
			if err := s.world.ReadFile(f.Name, f.Data, options); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.bare {
		s.world.Coverage = nil
	}
	return s
}

// readPolicy reads the section policy: a name and a value on each line.
func (s *scenario) readPolicy(t *testing.T) {
	t.Helper()
	policy := &s.request.Policy
	for line := range strings.Lines(s.section("policy")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		var err error
		switch name {
		case "as_of":
			s.request.AsOf = instant(t, value)
		case "covers":
			if s.bare = value == "nothing"; !s.bare {
				s.covers, err = ledger.ParseCovers(value)
			}
		case "period":
			s.request.Period, err = ledger.ParseCovers(value)
		case "tolerance":
			policy.Tolerance, policy.Tolerances, err = recon.ParseTolerances(value)
		case "fee_rule":
			policy.FeeRules, err = recon.ParseFeeRules(value)
		case "reference_cut":
			var cut int
			cut, err = strconv.Atoi(value)
			policy.ReferenceCuts = append(policy.ReferenceCuts, cut)
		case "holiday":
			var day ledger.Date
			day, err = ledger.ParseDate(value)
			policy.Holidays = append(policy.Holidays, day)
		case "stale_after":
			policy.StaleAfter, err = time.ParseDuration(value)
		case "reask_window":
			policy.ReaskWindow, err = time.ParseDuration(value)
		case "settlement_window":
			value, policy.BusinessDays = strings.CutSuffix(value, "bd")
			policy.SettlementWindowDays, err = strconv.Atoi(strings.TrimSuffix(value, "d"))
		case "systemic_threshold":
			policy.SystemicThreshold, err = strconv.Atoi(value)
		case "timezone":
			policy.Zone, err = time.LoadLocation(value)
		case "account":
			policy.Accounts = append(policy.Accounts, value)
		case "scope_text":
			policy.Scope = append(policy.Scope, recon.ScopeRule{Name: "text: " + value, Text: value})
		case "scope_counterparty":
			policy.Scope = append(policy.Scope, recon.ScopeRule{Name: "counterparty: " + value, Counterparty: value})
		case "scope_account":
			policy.Scope = append(policy.Scope, recon.ScopeRule{Name: "account: " + value, Account: value})
		case "scope_kind":
			policy.Scope = append(policy.Scope, recon.ScopeRule{Name: "rule: " + value, Kinds: []ledger.Kind{ledger.Kind(value)}})
		default:
			t.Fatalf("%s: policy: unknown name %q", s.path, name)
		}
		if err != nil {
			t.Fatalf("%s: policy: %s: %v", s.path, name, err)
		}
	}
	s.request.Period.Zone = policy.Zone
}

func (s *scenario) section(name string) string {
	n := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if n < 0 {
		return ""
	}
	return string(s.archive.Files[n].Data)
}

// foreseen are the classes that the prose foresees, by item: lines such as "=> a1 matched".
func (s *scenario) foreseen() map[string]string {
	classes := map[string]string{}
	for line := range strings.Lines(string(s.archive.Comment)) {
		if rest, ok := strings.CutPrefix(line, "=> "); ok {
			id, class, _ := strings.Cut(strings.TrimSpace(rest), " ")
			classes[id] = class
		}
	}
	return classes
}

// addPart adds a payment to a batch entry.
func (s *scenario) addPart(t *testing.T, row []string) {
	t.Helper()
	n := slices.IndexFunc(s.world.Entries, func(e ledger.Entry) bool { return e.ID == row[0] })
	if n < 0 {
		t.Fatalf("%s: parts.csv: no entry %s", s.path, row[0])
	}
	e := &s.world.Entries[n]
	amount, err := ledger.ParseDecimal(row[1], e.Currency.Exponent())
	if err != nil {
		t.Fatal(err)
	}
	e.Children = append(e.Children, ledger.Entry{Amount: amount, Currency: e.Currency, CounterpartyAccount: row[2], EndToEndID: row[3], RemittanceText: row[4]})
}

func instant(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// csvRows reads a CSV section with exactly these columns.
func csvRows(t *testing.T, f txtar.File, columns ...string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(f.Data)).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], columns) {
		t.Fatalf("%s: want the columns %s", f.Name, strings.Join(columns, ","))
	}
	return rows[1:]
}

func TestScenarios(t *testing.T) {
	for _, path := range scenarioPaths(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			s := openScenario(t, path)
			result := mustRun(t, s.world, s.request)
			lines := items(t, result)
			got := strings.Join(lines, "\n") + "\n"
			if diff := cmp.Diff(items(t, mustRunUnsieved(t, s.world, s.request)), lines); diff != "" {
				t.Errorf("the sieve changes something (-everything judged +sieved):\n%s", diff)
			}
			if *update {
				s.rewrite(t, got)
			} else if diff := cmp.Diff(s.section("want"), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			foreseen := s.foreseen()
			if len(foreseen) == 0 {
				t.Errorf("%s: the prose foresees no class", path)
			}
			for id, class := range foreseen {
				if !slices.ContainsFunc(lines, func(line string) bool { return lineSays(line, id, class) }) {
					t.Errorf("%s: %s is not %s, as the prose says", path, id, class)
				}
			}
		})
	}
}

// lineSays reports whether a line gives the item of an id a class.
func lineSays(line, id, class string) bool {
	fields := strings.Fields(line)
	return len(fields) > 2 && fields[1] == id+":" && strings.TrimSuffix(fields[2], ",") == class
}

func (s *scenario) rewrite(t *testing.T, want string) {
	t.Helper()
	s.archive.Files = slices.DeleteFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	s.archive.Files = append(s.archive.Files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What no scenario produces does not exist: a class, flag, cause, tier, role or reason that is only declared would be a
// promise (hazards, the fourth fault of the closest peers).
func TestEverythingDeclaredIsProduced(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range scenarioPaths(t) {
		s := openScenario(t, path)
		noteProduced(t, seen, mustRun(t, s.world, s.request))
	}
	wantEverything(t, seen, "scenario")
	for _, reason := range []string{"text: RENT", "rule: transfer", "account: ACC-9", "counterparty: DE02 1203 0000 0000 2020 51"} {
		wantSeen(t, seen, "scenario", "reason", reason)
	}
}

// wantEverything reports what was not seen of all that a run can conclude.
func wantEverything(t *testing.T, seen map[string]bool, where string) {
	t.Helper()
	for _, p := range []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes} {
		for _, info := range recon.ClassesOf(p) {
			wantSeen(t, seen, where, "class", string(p)+" "+string(info.Class))
		}
	}
	eachEvidence(func(e recon.Evidence) {
		wantSeen(t, seen, where, "evidence", string(e.Settlement)+string(e.Variance)+" × "+string(e.Outcome))
	})
	for _, flag := range recon.FlagNames {
		// These two are derived when a report is made and never stored.
		if flag != recon.FlagRedelivered && flag != recon.FlagPeriodEdge {
			wantSeen(t, seen, where, "flag", string(flag))
		}
	}
	for _, cause := range recon.Causes {
		wantSeen(t, seen, where, "cause", string(cause))
	}
	for tier := recon.ByKey; tier <= recon.ByAttributes; tier++ {
		wantSeen(t, seen, where, "tier", tier.String())
	}
	for _, role := range []recon.Role{recon.RoleSettles, recon.RoleExcess, recon.RoleReversal, recon.RolePending, recon.RoleRejected, recon.RoleShared} {
		wantSeen(t, seen, where, "role", string(role))
	}
	for _, reason := range []string{"kind: fee", recon.ReasonAccount, recon.ReasonInflow, recon.ReasonBeforeRecording, recon.ReasonSuperseded + "the statement of its day"} {
		wantSeen(t, seen, where, "reason", reason)
	}
	for _, field := range []string{"payee", "currency", "amount", "split_incomplete", "fee", "date"} {
		wantSeen(t, seen, where, "difference", field)
	}
}

func wantSeen(t *testing.T, seen map[string]bool, where, what, name string) {
	t.Helper()
	if !seen[what+" "+name] {
		t.Errorf("no %s produces the %s %q", where, what, name)
	}
}

func noteProduced(t *testing.T, seen map[string]bool, result *recon.Result) {
	t.Helper()
	flags := func(flags []recon.Flag) {
		for _, flag := range flags {
			seen["flag "+string(flag.Name)] = true
		}
	}
	for _, f := range result.Attempts {
		seen["class attempts "+string(f.Class)] = true
		seen["evidence "+string(f.Evidence.Settlement)+string(f.Evidence.Variance)+" × "+string(f.Evidence.Outcome)] = true
		seen["cause "+string(f.Cause)] = true
		flags(f.Flags)
		for _, l := range f.Links {
			seen["tier "+l.Tier.String()], seen["role "+string(l.Role)] = true, true
		}
		for _, d := range f.Differences {
			seen["difference "+d.Field] = true
		}
	}
	for _, f := range result.Entries {
		seen["class entries "+string(f.Class)], seen["reason "+f.Reason] = true, true
		flags(f.Flags)
	}
	for _, c := range result.Totals.Outcomes.Classes {
		seen["class outcomes "+string(c.Class)] = true
	}
	for _, f := range result.Outcomes {
		flags(f.Flags)
	}
	for range result.ImpliedPairs(t.Context()) {
		seen["class attempts matched"], seen["class entries matched"] = true, true
		seen["evidence settled × succeeded"] = true
	}
}

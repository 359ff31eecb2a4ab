package report

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon"
)

var populations = []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes}

func TestEveryClassHasOneSheet(t *testing.T) {
	var want, got []string
	for _, p := range populations {
		for _, info := range recon.ClassesOf(p) {
			want = append(want, string(p)+" "+string(info.Class))
		}
	}
	for _, place := range Placements {
		got = append(got, string(place.Population)+" "+string(place.Class))
		if !slices.Contains(Sheets, place.Sheet) {
			t.Errorf("%s of %s is on %q, which is no sheet", place.Class, place.Population, place.Sheet)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes with a sheet, in the order of recon (-want +got):\n%s", diff)
	}
}

func TestListedClassesAreTheOnesThatReconLists(t *testing.T) {
	for _, p := range populations {
		for _, info := range recon.ClassesOf(p) {
			if got := placeOf(p, info.Class).Listed; got != info.Listed {
				t.Errorf("%s of %s: listed %v, want %v", info.Class, p, got, info.Listed)
			}
		}
	}
}

// A kind has one sheet, but for clean classes, ledger entries in excess and what is excluded.
func TestKindsStayTogether(t *testing.T) {
	want := map[recon.Kind]Sheet{
		recon.Timing: SheetTiming, recon.Unresolved: SheetUnresolved, recon.NotConcluded: SheetNotConcluded,
		recon.LedgerOnly: SheetLedgerOnly, recon.Excluded: SheetExcluded,
	}
	for _, p := range populations {
		for _, info := range recon.ClassesOf(p) {
			if sheet, ok := want[info.Kind]; ok && placeOf(p, info.Class).Sheet != sheet {
				t.Errorf("%s of %s is on %s, want %s", info.Class, p, placeOf(p, info.Class).Sheet, sheet)
			}
		}
	}
}

func TestEveryValueHasWords(t *testing.T) {
	var settlements []recon.SettlementAxis
	for _, w := range ledgerWords {
		settlements = append(settlements, w.settlement)
	}
	if diff := cmp.Diff(recon.SettlementAxes, settlements); diff != "" {
		t.Errorf("settlements (-want +got):\n%s", diff)
	}
	var outcomes []recon.OutcomeAxis
	for _, w := range outcomeWords {
		outcomes = append(outcomes, w.outcome)
	}
	if diff := cmp.Diff(recon.OutcomeAxes, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var flags []recon.FlagName
	for _, w := range flagWords {
		flags = append(flags, w.flag)
	}
	if diff := cmp.Diff(recon.FlagNames, flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	for tier := range recon.TierNames {
		if tier > 0 && (len(tierWords) < tier || tierWords[tier-1].tier != recon.Tier(tier)) {
			t.Errorf("tier %s has no words in its place", recon.Tier(tier))
		}
	}
	for _, p := range populations {
		for _, info := range recon.ClassesOf(p) {
			kindName(info.Kind)
		}
	}
}

func TestContentsNameEverySheetButTheCover(t *testing.T) {
	var got []Sheet
	for _, c := range (&book{}).contents() {
		got = append(got, c.sheet)
	}
	if diff := cmp.Diff(Sheets[1:], got); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}

// The note of a nil list stands in its first column, and rows are counted by their items: so no list begins with them.
func TestNoListBeginsWithItsItems(t *testing.T) {
	b := &book{report: &recon.Report{}, index: newIndex(&recon.Report{})}
	for _, l := range append(b.makeLists(), linkedList(b)) {
		if l.columns[0].head == headItem {
			t.Errorf("%s begins with %q", l.sheet, headItem)
		}
	}
}

package sql_test

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"agentrecon/ledger"
	"agentrecon/ledger/detect"
	"agentrecon/recon"
	"agentrecon/recon/intake"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// TestStagesInEveryOrder imports the ledger files of the scenarios of stages in every order, and each of them twice. The
// stageConclusions are the same: no order settles a movement twice, and none is lost.
func TestStagesInEveryOrder(t *testing.T) {
	paths, err := filepath.Glob("../fixtures/scenarios/stages-*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scenarios of stages", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var files []txtar.File
			for _, f := range archive.Files {
				switch {
				case strings.HasPrefix(f.Name, "camt"):
					files = append(files, f)
				case f.Name == "ledger.csv":
					files = append(files, rowByRow(f)...)
				}
			}
			var want string
			for n, order := range permutations(len(files)) {
				db := sqltest.NewDB(t)
				importCalls(t, db, archive)
				for _, at := range append(order, order[0]) {
					importStage(t, db, files[at])
				}
				got := stageConclusions(t, db)
				if n == 0 {
					want = got
				}
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("in the order %v (-first order +this one):\n%s", order, diff)
				}
			}
		})
	}
}

// rowByRow makes a file of every row of a CSV file.
func rowByRow(f txtar.File) []txtar.File {
	header, rest, _ := bytes.Cut(f.Data, []byte("\n"))
	var files []txtar.File
	for row := range bytes.Lines(rest) {
		files = append(files, txtar.File{Name: fmt.Sprint(len(files), ".csv"), Data: slices.Concat(header, []byte("\n"), row)})
	}
	return files
}

// permutations are all orders of n things; of many only their rotations, forwards and backwards.
func permutations(n int) [][]int {
	if n > 3 {
		var some [][]int
		for from := range n {
			forwards := make([]int, n)
			for at := range forwards {
				forwards[at] = (from + at) % n
			}
			backwards := slices.Clone(forwards)
			slices.Reverse(backwards)
			some = append(some, forwards, backwards)
		}
		return some
	}
	all := [][]int{{}}
	for at := range n {
		var longer [][]int
		for _, p := range all {
			for place := range len(p) + 1 {
				longer = append(longer, slices.Insert(slices.Clone(p), place, at))
			}
		}
		all = longer
	}
	return all
}

func importCalls(t *testing.T, db *sql.DB, archive *txtar.Archive) {
	t.Helper()
	for _, f := range archive.Files {
		var err error
		options := intake.Options{DefaultCurrency: "EUR"}
		signed := func(s intake.Summary, err error) (ledger.SourceFile, error) {
			s.File.ImportedAt, s.File.ImportedBy = start, "tester"
			return s.File, err
		}
		switch f.Name {
		case "attempts.csv":
			_, err = db.ImportAttempts(t.Context(), func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
				return signed(intake.Attempts(f.Name, bytes.NewReader(f.Data), options, func(row *intake.AttemptRow) error { return each(&row.Attempt, row.Line) }))
			}, sql.ImportOptions{})
		case "outcomes.csv":
			_, err = db.ImportOutcomes(t.Context(), func(each func(recon.Outcome, int) error) (ledger.SourceFile, error) {
				return signed(intake.Outcomes(f.Name, bytes.NewReader(f.Data), options, each))
			}, sql.ImportOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func importStage(t *testing.T, db *sql.DB, f txtar.File) {
	t.Helper()
	_, err := db.ImportEntries(t.Context(), func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		source, err := detect.Read(f.Name, bytes.NewReader(f.Data), ledger.ReadOptions{}, each)
		source.ImportedAt, source.ImportedBy = start, "tester"
		return source, err
	}, sql.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// stageConclusions are the classes, links and reasons of a run over everything.
func stageConclusions(t *testing.T, db *sql.DB) string {
	t.Helper()
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	result, err := recon.Run(t.Context(), view, recon.Request{AsOf: time.Date(2025, 3, 28, 0, 0, 0, 0, time.UTC), Policy: recon.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for pair, err := range result.ImpliedPairs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, pair.AttemptID, "matched", pair.EntryID)
	}
	for _, f := range result.Attempts {
		fmt.Fprint(&b, f.Attempt.ID, " ", f.Class)
		for _, l := range f.Links {
			fmt.Fprint(&b, " ", l.Role, " ", l.Entry.ID)
		}
		fmt.Fprintln(&b)
	}
	for _, f := range result.Entries {
		fmt.Fprintln(&b, f.Entry.ID, f.Class, f.Reason)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	slices.SortFunc(lines, cmp.Compare)
	return strings.Join(lines, "")
}

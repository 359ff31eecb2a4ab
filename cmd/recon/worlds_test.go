package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"agentrecon/fixtures/worlds"
)

var worldAttempts = flag.Int("world", 100_000, "attempts of the world that BenchmarkWorld is judged by")

// The real program, from files to the items file, concludes of every row of a world what the world's answer is: class,
// flags, links with their tiers, and cause.
func TestWorld(t *testing.T) {
	w := worlds.Make(1, 8_000)
	grades := grade(t, w, reconciled(t, w))
	for n, wrong := range grades.wrong {
		if n == 20 {
			t.Errorf("… and %d more", len(grades.wrong)-n)
			break
		}
		t.Error(wrong)
	}
	if t.Failed() {
		t.Logf("\n%s", grades)
	}
}

// BenchmarkWorld prints precision and recall of every class in a world of -world attempts.
func BenchmarkWorld(b *testing.B) {
	w := worlds.Make(1, *worldAttempts)
	for b.Loop() {
		grades := grade(b, w, reconciled(b, w))
		b.ReportMetric(float64(len(grades.wrong)), "wrong")
		fmt.Fprintf(os.Stderr, "%d rows\n%s", len(w.Answers), grades) // a log of a benchmark is cut after ten lines
	}
}

// reconciled runs the program over a world and returns the path of its items file.
func reconciled(t testing.TB, w worlds.World) string {
	t.Helper()
	dir := t.TempDir()
	items := filepath.Join(dir, "items.jsonl")
	args := append([]string{"recon", "reconcile", "--items", items, "--out", filepath.Join(dir, "world.xlsx")}, w.Policy...)
	for _, f := range w.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--"+f.Kind, path)
	}
	runProgram(t, args)
	return items
}

// runProgram runs the program, which must succeed.
func runProgram(t testing.TB, args []string) {
	t.Helper()
	var stderr bytes.Buffer
	p := program{args: args, stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &stderr, getenv: os.Getenv, now: time.Now}
	if code := run(p); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
}

// grades are what a run got right and wrong, row by row and by class.
type grades struct {
	classes map[classOf]*score
	wrong   []string
}

type classOf struct{ population, class string }

// score counts the rows that have a class, that were given it, and both.
type score struct{ have, given, right int }

// grade compares an items file with a world's answers.
func grade(t testing.TB, w worlds.World, items string) grades {
	m := grades{classes: map[classOf]*score{}}
	got := answersOf(t, items)
	for _, want := range w.Answers {
		id := classOf{want.Population, want.ID}
		is, known := got[id]
		delete(got, id)
		m.of(want.Population, want.Class).have++
		if !known {
			m.wrong = append(m.wrong, fmt.Sprintf("%s %s of %q: no item", want.Population, want.ID, want.Shape))
			continue
		}
		m.of(is.Population, is.Class).given++
		if is.Class == want.Class {
			m.of(is.Population, is.Class).right++
		}
		if told(is) != told(want) {
			m.wrong = append(m.wrong, fmt.Sprintf("%s %s of %q:\n  want %s\n  got  %s", want.Population, want.ID, want.Shape, told(want), told(is)))
		}
	}
	for id := range got {
		m.wrong = append(m.wrong, fmt.Sprintf("%s %s: an item of no row", id.population, id.class))
	}
	slices.Sort(m.wrong)
	return m
}

func (m grades) of(population, class string) *score {
	at := classOf{population, class}
	if m.classes[at] == nil {
		m.classes[at] = &score{}
	}
	return m.classes[at]
}

// String is a table of precision and recall.
func (m grades) String() string {
	var b strings.Builder
	out := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "population\tclass\trows\tprecision\trecall")
	for _, at := range slices.SortedFunc(maps.Keys(m.classes), func(x, y classOf) int {
		return cmp.Or(cmp.Compare(x.population, y.population), cmp.Compare(x.class, y.class))
	}) {
		s := m.classes[at]
		fmt.Fprintf(out, "%s\t%s\t%d\t%s\t%s\n", at.population, at.class, s.have, ratio(s.right, s.given), ratio(s.right, s.have))
	}
	_ = out.Flush() // a Builder takes whatever it is given
	return b.String()
}

func ratio(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.6f", float64(part)/float64(whole))
}

// answersOf reads an items file as the answers that the program gives. Candidates are no links.
func answersOf(t testing.TB, path string) map[classOf]worlds.Answer {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	all := map[classOf]worlds.Answer{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var i item
		if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
			t.Fatalf("%v\n%s", err, lines.Bytes())
		}
		a := worlds.Answer{Population: i.Population, ID: i.ID, Class: string(i.Class), Cause: string(i.Cause)}
		for _, name := range i.Flags {
			a.Flags = append(a.Flags, string(name))
		}
		for _, l := range i.Links {
			a.Links = append(a.Links, worlds.Link{ID: cmp.Or(l.EntryID, l.AttemptID), Tier: l.Tier})
		}
		slices.Sort(a.Flags)
		slices.SortFunc(a.Links, func(x, y worlds.Link) int { return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Tier, y.Tier)) })
		all[classOf{i.Population, i.ID}] = a
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// told is an answer in words.
func told(a worlds.Answer) string {
	return fmt.Sprint(a.Class, " flags ", a.Flags, " links ", a.Links, " cause ", a.Cause)
}

package jsonprofile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/tabular"
)

// Format is what [ledger.SourceFile.Format] says of these files.
const Format = "json"

// Read reads a file by the shipped profiles; it is a [ledger.ReadFunc].
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	return Reader(profile.ShippedSet())(name, r, options, each)
}

// Reader returns a reader of JSON by a set of profiles.
func Reader(set *profile.Set) ledger.ReadFunc {
	return func(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		d, err := recognised(set, name, r)
		if err != nil {
			return ledger.SourceFile{}, err
		}
		return d.profile.ReadItems(d.table(), d.names, options, each)
	}
}

// Explain says how a set of profiles reads a file. A file that one of them refuses is an error; one that none knows gets
// a profile to begin with.
func Explain(set *profile.Set, name string, r io.Reader, options ledger.ReadOptions) (profile.Explanation, error) {
	d, err := recognised(set, name, r)
	var unknown *unknownError
	if errors.As(err, &unknown) && len(unknown.names) > 0 {
		return set.UnknownItems(unknown.names, unknown.texts), nil
	}
	if err != nil {
		return profile.Explanation{}, err
	}
	return d.profile.ExplainItems(d.table(), d.names, options)
}

// recognised opens a file and finds the profile of its items.
func recognised(set *profile.Set, name string, r io.Reader) (*document, error) {
	file, err := profile.Rewindable(name, r)
	if err != nil {
		return nil, err
	}
	d := &document{name: name, file: file}
	if d.start, err = file.Seek(0, io.SeekCurrent); err != nil {
		return nil, fmt.Errorf("%s: read: %w", name, err)
	}
	chosen, example, err := d.recognise(set.JSON())
	if err != nil {
		return nil, err
	}
	if chosen.Refuse != "" {
		return nil, &tabular.FileError{File: name, Line: example.line, Reason: fmt.Sprintf("this is %s, which is no ledger: %s", chosen.Title, chosen.Refuse)}
	}
	d.profile, d.lists, d.depth = chosen, example.list, depth(example)
	d.names, d.dates = namesOf(chosen, example), chosen.DateNames()
	return d, nil
}

// document is a file that is read several times.
type document struct {
	name    string
	file    io.ReadSeeker
	start   int64
	profile *profile.Profile
	lists   bool // entries are elements of lists
	depth   int  // of an entry that is not: objects that it stands in
	names   []string
	dates   []string // the columns of them that hold dates
	digest  string
}

func (d *document) open() (io.Reader, error) {
	if _, err := d.file.Seek(d.start, io.SeekStart); err != nil {
		return nil, fmt.Errorf("%s: read: %w", d.name, err)
	}
	return d.file, nil
}

// shallow is how deep a single object may stand to be the entry of its document: in it, or in an envelope.
const shallow = 1

// recognise finds the profile that the first fitting element of a list has, or else the document itself.
func (d *document) recognise(profiles []*profile.Profile) (*profile.Profile, *item, error) {
	var (
		inList, alone   *profile.Profile
		listed, example *item
		seen            unknownError
	)
	r, err := d.open()
	if err != nil {
		return nil, nil, err
	}
	err = newWalker(d.name, lines.Unmark(r), func(it *item) (bool, error) {
		if seen.names == nil || it.list && len(it.names) > len(seen.names) {
			seen.names, seen.texts = it.names, it.texts
		}
		switch p := fitting(profiles, it); {
		case p == nil:
		case it.list:
			inList, listed = p, it
			return true, errStop
		case depth(it) <= shallow && (alone == nil || depth(it) < depth(example)):
			alone, example = p, it
		}
		return false, nil
	}).walk()
	switch {
	case err != nil:
		return nil, nil, err
	case inList != nil:
		return inList, listed, nil
	case alone != nil:
		return alone, example, nil
	}
	seen.reason = tabular.FileError{File: d.name, Reason: fmt.Sprintf(
		"no profile knows these items (%s); write a profile with format json, or one object a line with the generic names, as jq -c does", strings.Join(seen.names[:min(len(seen.names), 12)], ", "))}
	return nil, nil, &seen
}

// unknownError refuses items that no profile fits: the names and values of the one that has most.
type unknownError struct {
	names, texts []string
	reason       tabular.FileError
}

// Error is the refusal.
func (e *unknownError) Error() string { return e.reason.Error() }

// Unwrap returns the refusal as others know it, a [*tabular.FileError].
func (e *unknownError) Unwrap() error { return &e.reason }

// depth is how many objects an object stands in.
func depth(it *item) int {
	if it.path == "" {
		return 0
	}
	return strings.Count(it.path, ".") + 1
}

// fitting returns the profile that fits an item and needs most of it.
func fitting(profiles []*profile.Profile, it *item) *profile.Profile {
	var best *profile.Profile
	for _, p := range profiles {
		if fits(p, it) && (best == nil || len(p.Needs) > len(best.Needs)) {
			best = p
		}
	}
	return best
}

// fits reports whether an item has what a profile needs.
func fits(p *profile.Profile, it *item) bool {
	for _, need := range p.Needs {
		if !slices.ContainsFunc(need, func(name string) bool { return slices.Contains(it.names, name) }) {
			return false
		}
	}
	return !slices.ContainsFunc(p.Not, func(name string) bool { return slices.Contains(it.names, name) })
}

// pathName is the column that holds the path of the list that an item stands in.
const pathName = "@path"

// namesOf are the columns of the table: what the profile knows, and what the first item has beside that.
func namesOf(p *profile.Profile, it *item) []string {
	names := p.Names()
	for _, name := range it.names {
		if !slices.Contains(names, name) && len(names) < profile.MaxColumns {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, pathName) {
		names = append(names, pathName)
	}
	return names
}

// table presents the items as rows.
func (d *document) table() *profile.Table {
	return &profile.Table{
		Name: d.name, Format: Format,
		Open:     func(int) (profile.Rows, error) { return d.rows() },
		Digest:   func() string { return d.digest },
		Warnings: func() []string { return nil },
	}
}

// rows are the items of a document: a walk, which hands items over, turned into rows that are asked for.
type rows struct {
	next func() (profile.Row, error, bool)
	stop func()
}

func (d *document) rows() (profile.Rows, error) {
	r, err := d.open()
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(d.names))
	for i, name := range d.names {
		at[name] = i
	}
	sum := sha256.New()
	in := io.TeeReader(r, sum)
	next, stop := iter.Pull2(func(yield func(profile.Row, error) bool) {
		cells := make([]profile.Cell, len(d.names))
		err := newWalker(d.name, lines.Unmark(in), func(it *item) (bool, error) {
			if it.list != d.lists || !it.list && depth(it) != d.depth || !fits(d.profile, it) {
				return false, nil
			}
			d.fill(cells, at, it)
			if !yield(profile.Row{Line: it.line, Cells: cells}, nil) {
				return true, errStop
			}
			return true, nil
		}).walk()
		if err == nil {
			_, err = io.Copy(io.Discard, in)
		}
		if err != nil {
			yield(profile.Row{}, err)
			return
		}
		d.digest = hex.EncodeToString(sum.Sum(nil))
	})
	return &rows{next: next, stop: stop}, nil
}

// Next returns the next item.
func (r *rows) Next() (profile.Row, error) {
	row, err, ok := r.next()
	if !ok {
		return profile.Row{}, io.EOF
	}
	return row, err
}

// Close ends the walk.
func (r *rows) Close() error {
	r.stop()
	return nil
}

// fill puts the values of an item into the cells of a row.
func (d *document) fill(cells []profile.Cell, at map[string]int, it *item) {
	clear(cells)
	for i, name := range it.names {
		n, ok := at[name]
		if !ok {
			continue
		}
		cells[n] = profile.Cell{Text: profile.Trim(it.texts[i])}
		if it.kinds[i] != 'n' {
			continue
		}
		cells[n].Kind = profile.Number
		if d.profile.Epoch && slices.Contains(d.dates, name) {
			if text, ok := epoch(it.texts[i]); ok {
				cells[n] = profile.Cell{Text: text, Kind: profile.Date}
			}
		}
	}
	cells[at[pathName]] = profile.Cell{Text: it.path}
}

// epoch turns seconds since 1970 into a date with a time. They have had ten digits since 2001.
func epoch(s string) (string, bool) {
	const digits = 10
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || len(s) != digits || n < 0 {
		return "", false
	}
	return time.Unix(n, 0).UTC().Format(time.DateTime), true
}

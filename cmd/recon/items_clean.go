package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"agentrecon/recon"
)

// pairList are clean pairs, of which there may be millions: the two ids of each lie one behind the other in blocks, with
// 16 bytes beside them.
type pairList struct {
	pairs  []cleanPair
	blocks [][]byte
	kinds  []pairKind
}

type cleanPair struct {
	block, at      uint32 // where the id of the attempt begins, and behind it that of the entry
	attempt, entry uint16 // their sizes
	kind           uint32 // index into kinds
}

// pairKind is what a line says beside the two ids. There are few.
type pairKind struct {
	tier     recon.Tier
	degraded bool
}

const pairBlock = 1 << 20

// cleanPairs collects the clean pairs of a result.
func cleanPairs(ctx context.Context, result *recon.Result, books recon.Books) (*pairList, error) {
	// No more pairs are clean than attempts agree.
	l := &pairList{pairs: make([]cleanPair, 0, result.WholeTotals.Attempts.ClassCount(recon.Matched))}
	for pair, err := range result.CleanPairs(ctx, books) {
		if err != nil {
			return nil, err
		}
		l.add(&pair)
	}
	return l, nil
}

func (l *pairList) add(p *recon.ImpliedPair) {
	kind := pairKind{p.Tier, p.IDSource.Degraded()}
	k := slices.Index(l.kinds, kind)
	if k < 0 {
		k, l.kinds = len(l.kinds), append(l.kinds, kind)
	}
	size := len(p.AttemptID) + len(p.EntryID)
	last := len(l.blocks) - 1
	if last < 0 || len(l.blocks[last])+size > cap(l.blocks[last]) {
		l.blocks = append(l.blocks, make([]byte, 0, max(size, pairBlock)))
		last++
	}
	at := len(l.blocks[last])
	l.blocks[last] = append(append(l.blocks[last], p.AttemptID...), p.EntryID...)
	l.pairs = append(l.pairs, cleanPair{uint32(last), uint32(at), uint16(len(p.AttemptID)), uint16(len(p.EntryID)), uint32(k)})
}

func (l *pairList) attempt(n uint32) []byte {
	p := &l.pairs[n]
	return l.blocks[p.block][p.at:][:p.attempt]
}

func (l *pairList) entry(n uint32) []byte {
	p := &l.pairs[n]
	return l.blocks[p.block][p.at+uint32(p.attempt):][:p.entry]
}

// sorted are the numbers of the pairs by an id. Ids mostly begin alike, so what tells two apart lies behind that: 8 bytes
// of it are kept beside the number and compared first.
func (l *pairList) sorted(id func(uint32) []byte) []uint32 {
	type placed struct {
		begins uint64
		n      uint32
	}
	alike := l.alike(id)
	places := make([]placed, len(l.pairs))
	for n := range places {
		var begins [8]byte
		copy(begins[:], id(uint32(n))[alike:])
		places[n] = placed{binary.BigEndian.Uint64(begins[:]), uint32(n)}
	}
	slices.SortFunc(places, func(a, b placed) int {
		if a.begins != b.begins {
			return cmp.Compare(a.begins, b.begins)
		}
		return bytes.Compare(id(a.n), id(b.n))
	})
	order := make([]uint32, len(places))
	for n := range places {
		order[n] = places[n].n
	}
	return order
}

// alike is how many bytes all ids begin with in common.
func (l *pairList) alike(id func(uint32) []byte) int {
	if len(l.pairs) == 0 {
		return 0
	}
	first := id(0)
	alike := len(first)
	for n := range l.pairs {
		other := id(uint32(n))
		alike = min(alike, len(other))
		for !bytes.Equal(first[:alike], other[:alike]) {
			alike--
		}
	}
	return alike
}

// The lines of a clean pair are those that encoding/json makes of its items, which a test compares.

func (l *pairList) attemptLine(line []byte, n uint32) []byte {
	kind := l.kinds[l.pairs[n].kind]
	line = appendQuoted(append(line, `{"population":"attempts","id":`...), l.attempt(n))
	line = append(line, `,"class":"matched","flags":[`...)
	if kind.degraded {
		line = append(append(append(line, '"'), recon.FlagDegradedID...), '"')
	}
	line = appendQuoted(append(line, `],"links":[{"entry_id":`...), l.entry(n))
	return appendLinkEnd(line, kind.tier)
}

func (l *pairList) entryLine(line []byte, n uint32) []byte {
	line = appendQuoted(append(line, `{"population":"ledger","id":`...), l.entry(n))
	line = appendQuoted(append(line, `,"class":"matched","flags":[],"links":[{"attempt_id":`...), l.attempt(n))
	return appendLinkEnd(line, l.kinds[l.pairs[n].kind].tier)
}

func (l *pairList) outcomeLine(line []byte, n uint32) []byte {
	line = appendQuoted(append(line, `{"population":"outcomes","id":`...), l.attempt(n))
	line = appendQuoted(append(line, `,"class":"joined","flags":[],"links":[{"attempt_id":`...), l.attempt(n))
	return append(line, `}],"differences":[],"cause":""}`+"\n"...)
}

func appendLinkEnd(line []byte, tier recon.Tier) []byte {
	line = append(append(append(line, `,"tier":"`...), tier.String()...), '"')
	return append(line, `}],"differences":[],"cause":""}`+"\n"...)
}

// appendQuoted appends an id as a JSON string.
func appendQuoted(line, id []byte) []byte {
	for _, b := range id {
		if b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' {
			return appendEscaped(line, id)
		}
	}
	return append(append(append(line, '"'), id...), '"')
}

func appendEscaped(line, id []byte) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(string(id)) // a string can be encoded, and a buffer written
	return append(line, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

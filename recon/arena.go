package recon

import (
	"bytes"
	"hash/maphash"
)

// text is a place in an [arena].
type text struct {
	at   uint32 // in units of the block's bytes: block = at / arenaBlock
	size uint16
}

// arenaBlock is the size of a block; a text never crosses blocks. With 32-bit places an arena holds 4 GiB.
const arenaBlock = 1 << 20

// arenaFirst is the room that the first block starts with, for runs over little.
const arenaFirst = 1 << 12

// arena keeps many short texts without a header each. It holds texts of up to 64 KiB; the readers allow far less.
type arena struct {
	blocks [][]byte
}

func (a *arena) add(s string) text {
	if s == "" {
		return text{}
	}
	if n := len(a.blocks); n == 0 || len(a.blocks[n-1])+len(s) > arenaBlock {
		capacity := arenaBlock
		if n == 0 {
			capacity = arenaFirst
		}
		a.blocks = append(a.blocks, make([]byte, 0, capacity))
	}
	last := len(a.blocks) - 1
	at := last*arenaBlock + len(a.blocks[last])
	a.blocks[last] = append(a.blocks[last], s...)
	return text{uint32(at), uint16(len(s))}
}

func (a *arena) bytes(t text) []byte {
	if t.size == 0 {
		return nil
	}
	block, from := a.blocks[t.at/arenaBlock], t.at%arenaBlock
	return block[from : from+uint32(t.size)]
}

// table is an open-addressing hash table of slot numbers, verified against the slot's key. Each cell keeps the hash
// beside the slot, so that a key is read, far away in memory, only where it is most likely the right one, and growing
// reads none at all.
type table struct {
	seed  maphash.Seed
	keyOf func(int32) []byte
	cells []cell
	used  int
}

type cell struct {
	hash uint32
	slot int32 // + 1; 0 = empty
}

// insert enters a slot under its key and reports the slot that has the key already; the first one keeps the cell.
func (t *table) insert(n int32) (first int32, taken bool) {
	if 5*(t.used+1) > 4*len(t.cells) {
		t.grow()
	}
	key := t.keyOf(n)
	hash := t.hash(key)
	at := t.probe(key, hash)
	if t.cells[at].slot != 0 {
		return t.cells[at].slot - 1, true
	}
	t.cells[at] = cell{hash, n + 1}
	t.used++
	return n, false
}

func (t *table) find(key []byte) int32 {
	if len(key) == 0 || len(t.cells) == 0 {
		return -1
	}
	return t.cells[t.probe(key, t.hash(key))].slot - 1
}

func (t *table) findString(key string) int32 { return t.find([]byte(key)) }

func (t *table) hash(key []byte) uint32 { return uint32(maphash.Bytes(t.seed, key)) }

// home is where the search for a hash begins. Cells are in the order of their hashes but for collisions, for a table
// of any size.
func (t *table) home(hash uint32) int { return int(uint64(hash) * uint64(len(t.cells)) >> 32) }

func (t *table) next(at int) int {
	if at++; at < len(t.cells) {
		return at
	}
	return 0
}

// probe returns the cell of a key, or the empty cell where it belongs.
func (t *table) probe(key []byte, hash uint32) int {
	for at := t.home(hash); ; at = t.next(at) {
		c := t.cells[at]
		if c.slot == 0 || c.hash == hash && bytes.Equal(t.keyOf(c.slot-1), key) {
			return at
		}
	}
}

// grow makes room for half as many again. Being in order, the cells move from one end to the other.
func (t *table) grow() {
	old := t.cells
	t.cells = make([]cell, max(1024, len(old)+len(old)/2))
	for _, c := range old {
		if c.slot == 0 {
			continue
		}
		at := t.home(c.hash)
		for t.cells[at].slot != 0 {
			at = t.next(at)
		}
		t.cells[at] = c
	}
}

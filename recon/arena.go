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

// table is an open-addressing hash table of slot numbers, verified against the slot's key.
type table struct {
	seed  maphash.Seed
	keyOf func(int32) []byte
	cells []int32 // slot + 1; 0 = empty
	used  int
}

// insert enters a slot under its key and reports the slot that has the key already; the first one keeps the cell.
func (t *table) insert(n int32) (first int32, taken bool) {
	if 2*(t.used+1) > len(t.cells) {
		t.grow()
	}
	at := t.probe(t.keyOf(n))
	if t.cells[at] != 0 {
		return t.cells[at] - 1, true
	}
	t.cells[at] = n + 1
	t.used++
	return n, false
}

func (t *table) find(key []byte) int32 {
	if len(key) == 0 || len(t.cells) == 0 {
		return -1
	}
	return t.cells[t.probe(key)] - 1
}

func (t *table) findString(key string) int32 { return t.find([]byte(key)) }

// probe returns the cell of a key, or the empty cell where it belongs.
func (t *table) probe(key []byte) int {
	mask := len(t.cells) - 1
	for at := int(maphash.Bytes(t.seed, key)) & mask; ; at = (at + 1) & mask {
		if t.cells[at] == 0 || bytes.Equal(t.keyOf(t.cells[at]-1), key) {
			return at
		}
	}
}

func (t *table) grow() {
	old := t.cells
	t.cells = make([]int32, max(1024, 2*len(old)))
	for _, cell := range old {
		if cell != 0 {
			t.cells[t.probe(t.keyOf(cell-1))] = cell
		}
	}
}

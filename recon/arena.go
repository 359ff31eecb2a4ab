package recon

import (
	"encoding/binary"
	"hash/maphash"
	"math"
)

// arenaBlock is the size of a block. Texts that are added together never cross blocks. A place is counted in bytes
// through all blocks: with 32 bits an arena holds 4 GiB.
const arenaBlock = 1 << 20

// arenaFirst is the room that the first block starts with, for runs over little.
const arenaFirst = 1 << 12

// arena keeps many short texts without a header each.
type arena struct {
	blocks [][]byte
	full   bool // a text was to stand where no place leads; what was added since is not kept
}

// add keeps texts one behind the other, each behind its size, and returns the place of the first.
func (a *arena) add(texts ...string) uint32 {
	size := 0
	for _, s := range texts {
		size += binary.MaxVarintLen64 + len(s)
	}
	if n := len(a.blocks); n == 0 || len(a.blocks[n-1])+size > arenaBlock {
		capacity := arenaBlock
		if n == 0 {
			capacity = arenaFirst
		}
		a.blocks = append(a.blocks, make([]byte, 0, max(capacity, size)))
	}
	last := len(a.blocks) - 1
	block := a.blocks[last]
	at := last*arenaBlock + len(block)
	if at > math.MaxUint32 {
		a.full = true
		return 0
	}
	for _, s := range texts {
		block = append(binary.AppendUvarint(block, uint64(len(s))), s...)
	}
	a.blocks[last] = block
	return uint32(at)
}

// text returns the text at a place, and those behind it.
func (a *arena) text(at uint32) (text, behind []byte) {
	return cutText(a.blocks[at/arenaBlock][at%arenaBlock:])
}

// cutText returns the first of texts that stand one behind the other, and the others.
func cutText(texts []byte) (text, behind []byte) {
	size, width := uint64(texts[0]), 1
	if size >= 0x80 {
		size, width = binary.Uvarint(texts)
	}
	end := width + int(size)
	return texts[width:end], texts[end:]
}

// at is the byte at a place.
func (a *arena) at(place uint32) byte { return a.blocks[place/arenaBlock][place%arenaBlock] }

// table is an open-addressing hash table of slot numbers, verified against the slot's key. Each cell keeps the hash
// beside the slot, so that a key is read, far away in memory, only where it is most likely the right one, and growing
// reads none at all.
type table struct {
	seed  maphash.Seed
	keyOf func(int32) []byte
	cells []cell
	used  int
	room  int // how many slots to make room for at first
}

type cell struct {
	hash uint32
	slot int32 // + 1; 0 = empty
}

// insert enters a slot under its key, which has this hash, and reports the slot that has the key already; the first one
// keeps the cell.
func (t *table) insert(n int32, hash uint32) (first int32, taken bool) {
	if 5*t.used >= 4*len(t.cells) {
		t.grow()
	}
	at := cellOf(t, t.keyOf(n), hash)
	if t.cells[at].slot != 0 {
		return t.cells[at].slot - 1, true
	}
	t.cells[at] = cell{hash, n + 1}
	t.used++
	return n, false
}

func (t *table) findString(key string) int32 { return t.find(key, t.hashString(key)) }

// find returns the slot that has a key with this hash, or -1.
func (t *table) find(key string, hash uint32) int32 {
	if key == "" || len(t.cells) == 0 {
		return -1
	}
	return t.cells[cellOf(t, key, hash)].slot - 1
}

// touch reads the cell where the search for a hash begins.
func (t *table) touch(hash uint32) uint32 {
	if len(t.cells) == 0 {
		return 0
	}
	return t.cells[t.home(hash)].hash
}

// likely returns the first slot whose key has this hash, or -1, without looking at any key.
func (t *table) likely(hash uint32) int32 {
	if len(t.cells) == 0 {
		return -1
	}
	for at := t.home(hash); ; at = t.next(at) {
		if c := t.cells[at]; c.slot == 0 || c.hash == hash {
			return c.slot - 1
		}
	}
}

func (t *table) hash(key []byte) uint32 { return uint32(maphash.Bytes(t.seed, key)) }

func (t *table) hashString(key string) uint32 { return uint32(maphash.String(t.seed, key)) }

// home is where the search for a hash begins. Cells are in the order of their hashes but for collisions, for a table
// of any size.
func (t *table) home(hash uint32) int { return int(uint64(hash) * uint64(len(t.cells)) >> 32) }

func (t *table) next(at int) int {
	if at++; at < len(t.cells) {
		return at
	}
	return 0
}

// cellOf returns the cell of a key, or the empty cell where it belongs.
func cellOf[K []byte | string](t *table, key K, hash uint32) int {
	for at := t.home(hash); ; at = t.next(at) {
		c := t.cells[at]
		if c.slot == 0 || c.hash == hash && string(t.keyOf(c.slot-1)) == string(key) {
			return at
		}
	}
}

// grow makes room, first for what is expected and then for half as many again. Being in order, the cells move from one
// end to the other.
func (t *table) grow() {
	old := t.cells
	t.cells = make([]cell, max(1024, t.room+t.room/4, len(old)+len(old)/2))
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

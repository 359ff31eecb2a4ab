package recon

// bitSet has a bit for each hash, which it may share with others.
type bitSet struct {
	words []uint64
	mask  uint64
}

// newBitSet makes a set of at least so many bits.
func newBitSet(bits int) bitSet {
	words := 1
	for words*64 < bits {
		words *= 2
	}
	return bitSet{make([]uint64, words), uint64(words)*64 - 1}
}

func (b bitSet) add(hash uint64) { b.words[hash&b.mask/64] |= 1 << (hash % 64) }

func (b bitSet) has(hash uint64) bool { return b.words[hash&b.mask/64]&(1<<(hash%64)) != 0 }

// hashSet is a set of few hashes that is asked for many others: most of them are told apart by a bit.
type hashSet struct {
	bits bitSet
	all  map[uint64]bool
}

func newHashSet(hashes []uint64) hashSet {
	s := hashSet{newBitSet(32 * len(hashes)), make(map[uint64]bool, len(hashes))}
	for _, h := range hashes {
		s.bits.add(mix(h))
		s.all[h] = true
	}
	return s
}

func (s hashSet) has(hash uint64) bool { return s.bits.has(mix(hash)) && s.all[hash] }

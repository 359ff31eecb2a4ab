package sql

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"time"
)

// digest hashes a sequence of fields so that no two different sequences give the same bytes: each field is preceded by
// its length, and a missing one has a length that no field has.
type digest struct {
	h   hash.Hash
	buf []byte
}

// newDigest starts a digest of one kind. The kind keeps digests of different things apart.
func newDigest(kind string) *digest {
	d := &digest{h: sha256.New()}
	d.text(kind)
	return d
}

// field hashes a field behind its length; nil is a missing one.
func (d *digest) field(b []byte) {
	size := uint32(len(b))
	if b == nil {
		size = nullField
	}
	d.buf = append(binary.BigEndian.AppendUint32(d.buf[:0], size), b...)
	d.h.Write(d.buf)
}

func (d *digest) text(s string) {
	d.buf = append(binary.BigEndian.AppendUint32(d.buf[:0], uint32(len(s))), s...)
	d.h.Write(d.buf)
}

func (d *digest) texts(list []string) {
	d.int(int64(len(list)))
	for _, s := range list {
		d.text(s)
	}
}

func (d *digest) int(n int64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	d.field(b[:])
}

func (d *digest) bool(b bool) {
	if b {
		d.int(1)
	} else {
		d.int(0)
	}
}

// time hashes a moment to the microsecond, which is what the database keeps; the zero time is a missing field.
func (d *digest) time(t time.Time) {
	if t.IsZero() {
		d.field(nil)
		return
	}
	d.int(t.UnixMicro())
}

func (d *digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }

// streamHash is the SHA-256 of a stream, worked out beside reading it.
type streamHash struct {
	chunk       []byte
	full, empty chan []byte
	done        chan []byte
}

const (
	hashChunk   = 256 << 10
	chunksAhead = 4
)

func newStreamHash() *streamHash {
	s := &streamHash{full: make(chan []byte, chunksAhead), empty: make(chan []byte, chunksAhead), done: make(chan []byte)}
	for range chunksAhead - 1 { // and one to write into
		s.empty <- nil
	}
	go s.hash()
	return s
}

// Write takes the next part of the stream. It never fails.
func (s *streamHash) Write(p []byte) (int, error) {
	if s.chunk = append(s.chunk, p...); len(s.chunk) >= hashChunk {
		s.full <- s.chunk
		s.chunk = (<-s.empty)[:0]
	}
	return len(p), nil
}

func (s *streamHash) hash() {
	h := sha256.New()
	for chunk := range s.full {
		h.Write(chunk)
		s.empty <- chunk
	}
	s.done <- h.Sum(nil)
}

// sum ends the stream and returns its hash. It must be called, once, whether the hash is used or not.
func (s *streamHash) sum() []byte {
	s.full <- s.chunk
	close(s.full)
	return <-s.done
}

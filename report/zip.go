package report

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/klauspost/compress/flate"
)

// deflateLevel is fixed, for another level gives other bytes.
const deflateLevel = 6

// archive is the zip file of a workbook. excelize hands its parts over in the order of a Go map; archive compresses
// each into a spool as it comes and writes them sorted by name when it is closed, with fixed times and known sizes.
type archive struct {
	ctx     context.Context
	out     *countedWriter
	spool   spool
	parts   []part
	current *partWriter
	names   map[string]bool
	flate   *flate.Writer
	done    bool
	digest  string

	replaced map[string][]byte // parts that are ours and not excelize's
	spliced  map[string]spool  // rows of sheets, to stand behind those that excelize wrote
	drawn    map[string]bool   // sheets with a chart
}

type part struct {
	name             string
	crc              uint32
	size, compressed int64
	offset           int64 // in the spool
	sha256           [sha256.Size]byte
}

// newArchive returns an archive that writes to w. Compressed parts wait in a file of tempDir, or in memory if there is
// none.
func newArchive(ctx context.Context, w io.Writer, tempDir string) (*archive, error) {
	spool, err := newSpool(tempDir)
	if err != nil {
		return nil, err
	}
	return &archive{ctx: ctx, out: &countedWriter{w: w}, names: map[string]bool{}, spool: spool}, nil
}

// newSpool makes a spool in a file of a folder, or in memory if there is none.
func newSpool(tempDir string) (spool, error) {
	if tempDir == "" {
		return &memorySpool{}, nil
	}
	file, err := os.CreateTemp(tempDir, "parts-*")
	if err != nil {
		return nil, err
	}
	return &fileSpool{File: file}, nil
}

// Create begins a part and ends the one before it.
func (a *archive) Create(name string) (io.Writer, error) {
	if err := a.finishPart(); err != nil {
		return nil, err
	}
	if a.names[name] {
		return nil, &fs.PathError{Op: "zip", Path: name, Err: fs.ErrExist}
	}
	a.names[name] = true
	p := &partWriter{archive: a, crc: crc32.NewIEEE(), sha: sha256.New(), part: part{name: name, offset: a.spool.Size()}}
	if a.flate == nil {
		var err error
		if a.flate, err = flate.NewWriter(a.spool, deflateLevel); err != nil {
			return nil, err
		}
	} else {
		a.flate.Reset(a.spool)
	}
	a.current = p
	if ours, ok := a.replaced[name]; ok {
		_, err := p.Write(ours)
		return io.Discard, err
	}
	if rows := a.spliced[name]; rows != nil {
		return &splicer{to: p, mark: endOfRows, before: rows.Section(0, rows.Size())}, nil
	}
	if a.drawn[name] {
		return &splicer{to: p, mark: oddDrawing, before: bytes.NewReader(usualDrawing), instead: true}, nil
	}
	return p, nil
}

// splicer puts something before a mark, or instead of it, in a sheet that is written through it: rows behind the last one.
// What may be the beginning of the mark is kept until the next write tells; a sheet goes on long after the mark, so nothing
// is kept at its end.
type splicer struct {
	to      io.Writer
	mark    []byte
	before  io.Reader
	instead bool // of the mark
	kept    []byte
	done    bool
}

var (
	endOfRows = []byte("</sheetData>")
	// oddDrawing is how excelize writes the relation of a drawing: with a prefix of its own, which other readers do not take.
	oddDrawing   = []byte(`<drawing xmlns:relationships="http://schemas.openxmlformats.org/officeDocument/2006/relationships" relationships:id=`)
	usualDrawing = []byte(`<drawing r:id=`)
)

func (s *splicer) Write(b []byte) (int, error) {
	if s.done {
		return s.to.Write(b)
	}
	s.kept = append(s.kept, b...)
	at := bytes.Index(s.kept, s.mark)
	if at < 0 {
		keep := min(len(s.kept), len(s.mark)-1)
		if _, err := s.to.Write(s.kept[:len(s.kept)-keep]); err != nil {
			return 0, err
		}
		s.kept = append(s.kept[:0], s.kept[len(s.kept)-keep:]...)
		return len(b), nil
	}
	s.done = true
	if _, err := s.to.Write(s.kept[:at]); err != nil {
		return 0, err
	}
	if _, err := io.Copy(s.to, s.before); err != nil {
		return 0, err
	}
	if s.instead {
		at += len(s.mark)
	}
	_, err := s.to.Write(s.kept[at:])
	return len(b), err
}

// AddFS is part of the interface that excelize wants and never called by it.
func (a *archive) AddFS(fs.FS) error { return fs.ErrInvalid }

// finishPart closes the compressed stream of the current part and notes what its header will say.
func (a *archive) finishPart() error {
	p := a.current
	if p == nil {
		return nil
	}
	a.current = nil
	if err := a.flate.Close(); err != nil {
		return err
	}
	p.part.crc = p.crc.Sum32()
	p.sha.Sum(p.part.sha256[:0])
	p.compressed = a.spool.Size() - p.offset
	a.parts = append(a.parts, p.part)
	return nil
}

// Close writes the zip file. It is called by excelize and, for the error that excelize may swallow, again by the
// workbook: the second call does nothing.
func (a *archive) Close() error {
	if a.done {
		return nil
	}
	if err := a.finishPart(); err != nil {
		return err
	}
	a.done = true
	slices.SortFunc(a.parts, func(x, y part) int { return cmp.Compare(x.name, y.name) })
	a.digest = partsDigest(a.parts)
	zw := zip.NewWriter(a.out)
	for _, p := range a.parts {
		if err := a.copyPart(zw, p); err != nil {
			return err
		}
	}
	return zw.Close()
}

// zipTime stands in every part: midnight, 1 January 1980, the zero of zip files.
var zipTime = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// copyPart copies a compressed part as it is; its sizes stand in the header before it, so no descriptor follows.
func (a *archive) copyPart(zw *zip.Writer, p part) error {
	header := &zip.FileHeader{
		Name: p.name, Method: zip.Deflate, CRC32: p.crc,
		CompressedSize64: uint64(p.compressed), UncompressedSize64: uint64(p.size),
	}
	// SetModTime alone leaves out the extended time stamp that Modified would add.
	header.ModifiedDate, header.ModifiedTime = dosTime(zipTime)
	w, err := zw.CreateRaw(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, contextReader{a.ctx, a.spool.Section(p.offset, p.compressed)})
	return err
}

// dosTime is a time as zip headers hold it.
func dosTime(t time.Time) (date, clock uint16) {
	date = uint16(t.Day() + int(t.Month())<<5 + (t.Year()-1980)<<9)
	clock = uint16(t.Second()/2 + t.Minute()<<5 + t.Hour()<<11)
	return date, clock
}

// partsDigest is sha256 over name and hash of each part, every name preceded by its length.
func partsDigest(sorted []part) string {
	h := sha256.New()
	for _, p := range sorted {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(p.name)))
		h.Write(length[:])
		io.WriteString(h, p.name)
		h.Write(p.sha256[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// discard frees the spool. It must be called whatever happened.
func (a *archive) discard() error { return a.spool.Discard() }

type partWriter struct {
	part
	archive *archive
	crc     hash.Hash32
	sha     hash.Hash
}

// Write compresses, and stops at once when the context is cancelled.
func (p *partWriter) Write(b []byte) (int, error) {
	if err := p.archive.ctx.Err(); err != nil {
		return 0, err
	}
	p.crc.Write(b)
	p.sha.Write(b)
	p.size += int64(len(b))
	return p.archive.flate.Write(b)
}

// spool holds compressed parts until their order is known.
type spool interface {
	io.Writer
	Size() int64
	Section(offset, n int64) io.Reader
	Discard() error
}

type memorySpool struct{ buf bytes.Buffer }

func (s *memorySpool) Write(b []byte) (int, error) { return s.buf.Write(b) }
func (s *memorySpool) Size() int64                 { return int64(s.buf.Len()) }
func (s *memorySpool) Discard() error              { return nil }

func (s *memorySpool) Section(offset, n int64) io.Reader {
	return bytes.NewReader(s.buf.Bytes()[offset : offset+n])
}

type fileSpool struct {
	*os.File
	size int64
}

func (s *fileSpool) Write(b []byte) (int, error) {
	n, err := s.File.Write(b)
	s.size += int64(n)
	return n, err
}

func (s *fileSpool) Size() int64 { return s.size }

func (s *fileSpool) Section(offset, n int64) io.Reader { return io.NewSectionReader(s.File, offset, n) }

func (s *fileSpool) Discard() error {
	err := s.Close()
	return cmp.Or(os.Remove(s.Name()), err)
}

// countedWriter remembers the first error of the writer below it, which excelize and zip wrap in ways of their own.
type countedWriter struct {
	w   io.Writer
	err error
}

func (c *countedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// contextReader stops a copy when its context is cancelled.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

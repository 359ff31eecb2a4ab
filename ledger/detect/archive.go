package detect

import (
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

// Limits of archives, so that none can be made to burst.
const (
	maxFiles    = 1000
	maxUnpacked = 4 << 30 // bytes, of all files together
)

// readGzip reads the file that was compressed. Its digest is that of the file as it was given.
func (c chooser) readGzip(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	file, err := profile.Rewindable(name, r)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	start, digest, err := digestOf(name, file)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	inner := gzipMember(name, file, start)
	defer inner.Close()
	source, err := c.readInner(name, inner, options, each)
	source.SHA256 = digest
	return source, err
}

// gzipMember is the file that was compressed.
func gzipMember(name string, file io.ReadSeeker, start int64) *unpacked {
	return &unpacked{name: name, left: new(int64), most: maxUnpacked, open: func() (io.ReadCloser, error) {
		if _, err := file.Seek(start, io.SeekStart); err != nil {
			return nil, err
		}
		return gzip.NewReader(file)
	}}
}

// readZip reads every file of an archive as if they were one. What systems put beside them is passed over.
func (c chooser) readZip(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	file, err := profile.Rewindable(name, r)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	start, digest, err := digestOf(name, file)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	members, err := zipMembers(name, file, start)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	whole := ledger.SourceFile{Name: name, SHA256: digest, Population: "ledger"}
	own := options
	own.Expect = ledger.Expect{}
	for _, inner := range members {
		part, err := c.readInner(inner.name, inner, own, each)
		inner.Close()
		if err != nil {
			return ledger.SourceFile{}, err
		}
		whole.Join(&part)
	}
	return whole, witness.HoldAgainst(&whole, options.Expect)
}

// zipMembers are the ledger files of an archive, at least one, which together unpack to no more than may be.
func zipMembers(name string, file io.ReadSeeker, start int64) ([]*unpacked, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("%s: read: %w", name, err)
	}
	archive, err := zip.NewReader(&readerAt{file: file, start: start}, size-start)
	if err != nil {
		return nil, &tabular.FileError{File: name, Reason: fmt.Sprintf("a damaged zip archive (%v); was the download complete?", err)}
	}
	files := ledgerFiles(archive)
	switch {
	case len(files) == 0:
		return nil, &tabular.FileError{File: name, Reason: "a zip archive without files; give the file that should have been in it"}
	case len(files) > maxFiles:
		return nil, &tabular.FileError{File: name, Reason: fmt.Sprintf("a zip archive of more than %d files; unpack it and give the ledger files", maxFiles)}
	}
	total := new(int64)
	members := make([]*unpacked, len(files))
	for i, f := range files {
		members[i] = &unpacked{name: name + "/" + f.Name, left: total, most: maxUnpacked, open: f.Open}
	}
	return members, nil
}

// ledgerFiles are the files of an archive by name, without folders and what systems leave there.
func ledgerFiles(archive *zip.Reader) []*zip.File {
	var files []*zip.File
	for _, f := range archive.File {
		base := path.Base(f.Name)
		if f.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.Contains(f.Name, "__MACOSX/") || strings.EqualFold(base, "thumbs.db") {
			continue
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	return files
}

// readInner reads a file that was in an archive. An archive in an archive is refused: nobody exports that.
func (c chooser) readInner(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	head, whole, err := peek(r)
	if err != nil {
		return ledger.SourceFile{}, readError(name, err)
	}
	format, ok := c.choose(head)
	switch {
	case len(head) == 0:
		return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: "empty file; was the export complete?"}
	case !ok:
		return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: unknown(head)}
	case format.Name == "zip" || format.Name == "gzip":
		return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: "an archive inside an archive; unpack the outer one first"}
	}
	source, err := format.Open(name, whole, options, each)
	return source, readError(name, err)
}

// readError names the archive's file in what goes wrong below a format's reader.
func readError(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: read: %w", name, err)
}

// digestOf reads a file to its end for its SHA-256, and says where it began.
func digestOf(name string, file io.ReadSeeker) (start int64, digest string, err error) {
	sum := sha256.New()
	if start, err = file.Seek(0, io.SeekCurrent); err == nil {
		_, err = io.Copy(sum, file)
	}
	if err != nil {
		return 0, "", fmt.Errorf("%s: read: %w", name, err)
	}
	return start, hex.EncodeToString(sum.Sum(nil)), nil
}

// unpacked is a compressed file that can be set back to its beginning, and counts what it unpacks to.
type unpacked struct {
	name string
	open func() (io.ReadCloser, error)
	left *int64 // bytes unpacked so far, of all files of the archive; a reading that starts anew does not count twice
	most int64

	in       io.ReadCloser
	at       int64
	furthest int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	if u.in == nil {
		in, err := u.open()
		if err != nil {
			return 0, u.damaged(err)
		}
		u.in = in
	}
	n, err := u.in.Read(p)
	u.at += int64(n)
	if u.at > u.furthest {
		*u.left += u.at - u.furthest
		u.furthest = u.at
	}
	switch {
	case *u.left > u.most:
		return 0, &tabular.FileError{File: u.name, Reason: fmt.Sprintf("the archive unpacks to more than %d GiB; unpack it and give the ledger files", u.most>>30)}
	case err != nil && !errors.Is(err, io.EOF):
		return n, u.damaged(err)
	}
	return n, err
}

func (u *unpacked) damaged(err error) error {
	return &tabular.FileError{File: u.name, Reason: fmt.Sprintf("a damaged archive (%v); was the download complete?", err)}
}

// Seek goes to the beginning, or to where the reader stands, or forward by reading.
func (u *unpacked) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += u.at
	case io.SeekEnd:
		if _, err := io.Copy(io.Discard, u); err != nil {
			return 0, err
		}
		offset += u.at
	}
	if offset < u.at {
		u.Close()
		u.at = 0
	}
	if offset > u.at {
		if _, err := io.CopyN(io.Discard, u, offset-u.at); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	return u.at, nil
}

// Close lets go of the file.
func (u *unpacked) Close() {
	if u.in != nil {
		_ = u.in.Close()
		u.in = nil
	}
}

// readerAt reads anywhere in a file that can be set to places.
type readerAt struct {
	file  io.ReadSeeker
	start int64
}

func (r *readerAt) ReadAt(p []byte, at int64) (int, error) {
	if _, err := r.file.Seek(r.start+at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.file, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	superuser = "recon"    // the role that initdb makes
	database  = "postgres" // exists in every cluster
	port      = "5432"     // only part of the socket's name: nothing listens on TCP

	pingTimeout = 2 * time.Second
	// maxMessage bounds one message of the server's greeting; real ones are
	// below 1 kB.
	maxMessage = 64 << 10
)

// socketDir returns the directory of the socket that belongs to a data
// directory. It lies in /tmp whatever $TMPDIR says, because a socket's path may
// be no longer than 103 (macOS) or 107 bytes, and the hash keeps two clusters
// apart.
func socketDir(data string, a account) string {
	sum := sha256.Sum256([]byte(data))
	return filepath.Join("/tmp", "reconpg-"+strconv.Itoa(a.uid)+"-"+hex.EncodeToString(sum[:8]))
}

// makeSocketDir creates the directory, or checks the one that is there: /tmp is
// open to all, so somebody else may have made it, to have us talk to a server
// of theirs.
func makeSocketDir(dir string, a account) error {
	err := os.Mkdir(dir, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if uid, _, ok := owner(dir); ok && uid == os.Geteuid() {
		if err := a.give(dir); err != nil {
			return err
		}
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	uid, _, _ := owner(dir)
	switch {
	case !fi.IsDir():
		return fmt.Errorf("%s is not a directory, so it cannot hold the server's socket: remove it", dir)
	case uid != a.uid:
		return fmt.Errorf("%s belongs to %s, not to %s, so the server's socket would not be safe there: remove it", dir, accountName(uid), a.name)
	case fi.Mode().Perm() != 0o700:
		return fmt.Errorf("%s has mode %04o, expected 0700, so the server's socket would not be safe there: remove it", dir, fi.Mode().Perm())
	}
	return nil
}

// A serverError is what the server answers instead of a session.
type serverError struct{ code, message string }

func (e *serverError) Error() string { return fmt.Sprintf("%s (SQLSTATE %s)", e.message, e.code) }

// ping opens a session and closes it. Only the whole exchange proves that the
// server can be used: while it starts, stops, or is being killed it accepts
// connections all the same, and even answers the request for TLS.
func ping(ctx context.Context, dir string) error {
	d := net.Dialer{Timeout: pingTimeout}
	conn, err := d.DialContext(ctx, "unix", filepath.Join(dir, ".s.PGSQL."+port))
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(pingTimeout)); err != nil {
		return err
	}
	if _, err := conn.Write(startupMessage()); err != nil {
		return err
	}
	err = awaitReady(conn)
	if refused := (*serverError)(nil); errors.As(err, &refused) && refused.code == "53300" {
		return nil // too many clients: very much alive
	}
	if err != nil {
		return err
	}
	_, _ = conn.Write([]byte{'X', 0, 0, 0, 4}) // Terminate, a courtesy: we know enough
	return nil
}

// startupMessage is the first message of protocol 3.0: length, version, pairs.
func startupMessage() []byte {
	msg := binary.BigEndian.AppendUint32(make([]byte, 4), 3<<16)
	for _, s := range []string{"user", superuser, "database", database, "application_name", "recon ping"} {
		msg = append(append(msg, s...), 0)
	}
	msg = append(msg, 0)
	binary.BigEndian.PutUint32(msg, uint32(len(msg)))
	return msg
}

// awaitReady reads messages (type, length including itself, body) until the
// server is ready for a query.
func awaitReady(r io.Reader) error {
	for {
		var head [5]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return fmt.Errorf("greeting of the server: %w", err)
		}
		n := binary.BigEndian.Uint32(head[1:])
		if n < 4 || n > maxMessage {
			return fmt.Errorf("greeting of the server: message %q of %d bytes", head[0], n)
		}
		body := make([]byte, n-4)
		if _, err := io.ReadFull(r, body); err != nil {
			return fmt.Errorf("greeting of the server: %w", err)
		}
		switch head[0] {
		case 'E':
			return parseError(body)
		case 'Z':
			return nil
		case 'R':
			if len(body) < 4 || binary.BigEndian.Uint32(body) != 0 {
				return errors.New("the server asks for a password, so it is not one that recon started")
			}
		}
	}
}

// parseError reads the fields of an ErrorResponse: a letter and a string each.
func parseError(body []byte) error {
	e := &serverError{}
	for _, field := range strings.Split(string(body), "\x00") {
		if field == "" {
			continue
		}
		switch field[0] {
		case 'C':
			e.code = field[1:]
		case 'M':
			e.message = field[1:]
		}
	}
	return e
}

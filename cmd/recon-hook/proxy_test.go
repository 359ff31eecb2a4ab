package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"

	"agentrecon/sql/sqltest"
)

// losingCommit is s behind a proxy that passes COMMIT on and never passes on the answer: it waits for it, so that the
// transaction is committed, and hangs up.
func (s surroundings) losingCommit(t *testing.T) surroundings {
	t.Helper()
	config := sqltest.Connect(t, s.url).Config()
	socket := fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				client.Close()
				return
			}
			go pass(client, server)
		}
	}()
	s.url = fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", config.User, listener.Addr(), config.Database)
	return s
}

// pass carries bytes both ways until the client commits.
func pass(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	answers := make(chan []byte)
	go func() {
		defer close(answers)
		for {
			chunk := make([]byte, 1<<16)
			n, err := server.Read(chunk)
			if err != nil {
				return
			}
			answers <- chunk[:n]
		}
	}()
	requests := make(chan []byte)
	go func() {
		defer close(requests)
		for {
			chunk := make([]byte, 1<<16)
			n, err := client.Read(chunk)
			if err != nil {
				return
			}
			requests <- chunk[:n]
		}
	}()
	for {
		select {
		case chunk, ok := <-answers:
			if !ok {
				return
			}
			if _, err := client.Write(chunk); err != nil {
				return
			}
		case chunk, ok := <-requests:
			if !ok {
				return
			}
			if _, err := io.Copy(server, bytes.NewReader(chunk)); err != nil {
				return
			}
			if bytes.Contains(chunk, []byte("COMMIT\x00")) {
				<-answers
				return
			}
		}
	}
}

// The answer to COMMIT is lost, in a hook and in a drain: what was committed is not written again.
func TestAnswerToCommitIsLost(t *testing.T) {
	t.Run("hook", func(t *testing.T) {
		s := newSurroundings(t)
		if a := s.losingCommit(t).run(t, before(first), "pre"); a.status != 0 || a.stdout != "{}\n" {
			t.Errorf("got %+v", a)
		}
		if a := s.losingCommit(t).run(t, afterwards(first, `{"ok":false}`), "post"); a.status != 0 || a.stdout != "{}\n" {
			t.Errorf("got %+v", a)
		}
		if s.waiting(t) != 2 {
			t.Fatal("the records are not on disk")
		}
		if got := s.ask(t, counts); got != "1 1 1" {
			t.Fatal("nothing was committed; the test shows nothing: got", got)
		}
		// By now the attempt has another outcome: what is sent again must not count as a contradiction.
		other := s
		other.spool = t.TempDir()
		other.run(t, afterwards(first, `{"ok":true}`), "post")
		s.drainAll(t)
		if got := s.ask(t, counts); got != "1 1 1" {
			t.Error("got", got)
		}
		if got := s.ask(t, "SELECT status, versions FROM transfer_outcomes"); got != "succeeded 2" {
			t.Error("got", got)
		}
	})
	t.Run("drain", func(t *testing.T) {
		s := newSurroundings(t)
		away := s
		away.url = nowhere
		away.run(t, before(first), "pre")
		away.run(t, before(first), "pre")
		if a := s.losingCommit(t).run(t, "", "drain"); a.status != exitRetry || a.stderr == "" {
			t.Errorf("got %+v", a)
		}
		if s.waiting(t) != 2 {
			t.Fatal("the records are gone before anybody knows")
		}
		if got := s.ask(t, counts); got != "1 2 0" {
			t.Fatal("nothing was committed; the test shows nothing: got", got)
		}
		s.drainAll(t)
		if got := s.ask(t, counts); got != "1 2 0" {
			t.Error("got", got)
		}
	})
}

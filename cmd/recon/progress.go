package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agentrecon/sql"
)

// progressEvery is how often the line of progress is written anew, at most.
const progressEvery = 200 * time.Millisecond

// meter shows how an import of one file gets on, on one line that is written over and taken away at the end. A nil
// meter shows nothing.
type meter struct {
	to    io.Writer
	now   func() time.Time
	name  string
	size  int64 // bytes of the file; 0: not known, as of a pipe
	at    int64 // bytes read of it
	last  sql.ImportProgress
	began time.Time
	drawn time.Time
	read  time.Duration // what reading took, when it is over
	wide  int           // of the line on the screen
}

// newMeter shows the progress of a file on the terminal, if there is one and it is wanted.
func newMeter(p *program, wanted bool, name string, size int64) *meter {
	if !p.terminal || !wanted {
		return nil
	}
	began := p.now()
	return &meter{to: p.stderr, now: p.now, name: name, size: size, began: began, drawn: began}
}

// report is told by the database's side of the import where it stands.
func (m *meter) report(s sql.ImportProgress) {
	if m == nil {
		return
	}
	m.last = s
	now := m.now()
	if s.Step == sql.StepRead && now.Sub(m.drawn) < progressEvery {
		return
	}
	m.drawn = now
	m.draw(m.line(s, now.Sub(m.began)))
}

func (m *meter) line(s sql.ImportProgress, took time.Duration) string {
	rows := grouped(s.Rows) + " rows"
	if s.Step != sql.StepRead {
		if m.read == 0 {
			m.read = took
		}
		return fmt.Sprintf("%s: %s read in %s; %s", m.name, rows, clock(m.read), s.Step)
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%s: ", m.name)
	at := m.at
	if m.size > 0 {
		fmt.Fprintf(&line, "%d%%, ", min(100, at*100/m.size))
	}
	line.WriteString(rows)
	if seconds := took.Seconds(); seconds > 0 {
		fmt.Fprintf(&line, ", %s rows/s", grouped(int64(float64(s.Rows)/seconds)))
	}
	if m.size > 0 && at > 0 && at <= m.size {
		fmt.Fprintf(&line, ", %s left", clock(time.Duration(float64(took)/float64(at)*float64(m.size-at))))
	}
	return line.String()
}

// draw writes a line over the last one.
func (m *meter) draw(line string) {
	fmt.Fprintf(m.to, "\r%s%s", line, strings.Repeat(" ", max(0, m.wide-len(line))))
	m.wide = len(line)
}

// end takes the line away.
func (m *meter) end() {
	if m != nil && m.wide > 0 {
		fmt.Fprintf(m.to, "\r%s\r", strings.Repeat(" ", m.wide))
	}
}

// clock is a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// metered is a file that tells its meter where it is read. It can be set back as the file itself can: some formats are
// read twice.
type metered struct {
	*os.File
	meter *meter
}

func (f *metered) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.meter.at += int64(n)
	f.meter.report(f.meter.last) // a table is looked at before the first row of it is handed on
	return n, err
}

func (f *metered) Seek(offset int64, whence int) (int64, error) {
	at, err := f.File.Seek(offset, whence)
	f.meter.at = at
	return at, err
}

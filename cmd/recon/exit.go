package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/sql"
	"agentrecon/sql/embedded"
)

// Exit codes. The numbers above 63 are those of sysexits.h; 0 also means "ran, with findings", for cron, systemd and
// Kubernetes run again or raise an alarm on anything else.
const (
	exitOK          = 0
	exitFindings    = 1  // only with --exit-code; and anything that has no better number
	exitUsage       = 64 // unknown command or flag, missing or contradictory arguments
	exitData        = 65 // a bad input file
	exitSchema      = 69 // no PostgreSQL binaries; schema missing or newer than the program
	exitBug         = 70 // the proof failed: a fault of this program
	exitOutput      = 73 // the output cannot be made: folder missing, read-only, a name that is a folder's
	exitWrite       = 74 // writing failed half-way, as on a full disk; nothing is left behind
	exitTemporary   = 75 // try again: database away, another run holds the lock
	exitRights      = 77 // password or rights refused
	exitConfig      = 78 // configuration file, policy, too little --max-memory, a DATABASE_URL that cannot be read or names no database
	exitInterrupted = 130
	exitTerminated  = 143
)

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// configError is a mistake in the configuration file or in a policy value.
type configError struct{ text string }

func (e configError) Error() string { return e.text }

// inputError wraps what went wrong with a file that was to be read.
type inputError struct{ err error }

func (e inputError) Error() string { return e.err.Error() }
func (e inputError) Unwrap() error { return e.err }

// recordedError says that a run is recorded although writing its report failed.
type recordedError struct {
	run int64
	err error
}

func (e recordedError) Error() string { return e.err.Error() }
func (e recordedError) Unwrap() error { return e.err }

// errFindings asks for exit code 1; there is nothing to print.
var errFindings = errors.New("there are findings")

// signalError is the cause of a context that a signal cancelled.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return "stopped by " + e.signal.String() }

// codes maps conditions to exit codes; the first that fits counts.
var codes = []struct {
	is   error
	code int
}{
	{errFindings, exitFindings},
	{recon.ErrProof, exitBug},
	{embedded.ErrNoBinaries, exitSchema},
	{sql.ErrSchemaMissing, exitSchema},
	{sql.ErrSchemaNewer, exitSchema},
	{sql.ErrSchemaChanged, exitSchema},
	{sql.ErrLocked, exitTemporary},
	{sql.ErrAuth, exitRights},
	{sql.ErrConfig, exitConfig},
	{sql.ErrUnavailable, exitTemporary},
	{syscall.ENOSPC, exitWrite}, // whatever else it was wrapped as
	{errOutput, exitOutput},
	{report.ErrCannotCreate, exitOutput},
	{report.ErrCannotWrite, exitWrite},
	{context.DeadlineExceeded, exitTemporary},
}

// exitCode is the code of an error.
func exitCode(err error) int {
	var signalled signalError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &signalled) && signalled.signal == syscall.SIGTERM:
		return exitTerminated
	case errors.As(err, &signalled):
		return exitInterrupted
	}
	var checked checkResult
	if errors.As(err, &checked) {
		return checked.code
	}
	var usage usageError
	var config configError
	var input inputError
	var bad *ledger.BadRows
	var row *ledger.RowError
	var memory *recon.MemoryError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &config), errors.As(err, &memory):
		return exitConfig
	case errors.As(err, &bad), errors.As(err, &row), errors.As(err, &input):
		return exitData
	}
	for _, c := range codes {
		if errors.Is(err, c.is) {
			return c.code
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return exitRights
	}
	return exitFindings
}

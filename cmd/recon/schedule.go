package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/sql"
)

const (
	flagCron      = "cron"
	flagOnce      = "once"
	flagReportDir = "report-dir"
	flagPeriod    = "period"
	flagInbox     = "inbox"
	flagHeartbeat = "heartbeat-url"
	flagNotify    = "notify-url"
	flagMetrics   = "metrics-file"

	// defaultCron is half past two at night: after most banks have booked the day before.
	defaultCron = "30 2 * * *"

	// longestNap bounds a sleep: the wall clock may jump, and a suspended machine wakes late.
	longestNap = 30 * time.Second
	// mostMissed bounds how many missed slots are written down after a long stop; older ones are not.
	mostMissed = 1000
	// firstRetry and lastRetry bound the pause after a run that failed for a passing reason.
	firstRetry, lastRetry = time.Minute, 30 * time.Minute
)

func scheduleCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "schedule",
		Usage: "at the slots of a cron expression: import the inbox, run, write the report, notify; one run a slot",
		Flags: concat(
			[]cli.Flag{
				&cli.StringFlag{Name: flagCron, Value: defaultCron, Usage: "when to run, on the clocks of --timezone"},
				&cli.BoolFlag{Name: flagOnce, Usage: "run the newest due slot unless it is done, and exit: for cron, systemd, Kubernetes"},
				&cli.StringFlag{Name: flagReportDir, Value: "reports", Usage: "folder for the workbooks"},
				&cli.StringFlag{Name: flagPeriod, Value: "quarter", Usage: "period of each report, up to the slot: month, quarter or all"},
				&cli.StringFlag{Name: flagInbox, DefaultText: "none", Usage: "folder of ledger files: imported before each run and moved to imported/ or refused/ in it"},
				&cli.StringSliceFlag{Name: flagProfile, DefaultText: "found by header", Usage: "for the inbox: a shipped profile by name, or a file of your own profiles (repeatable)"},
				&cli.StringFlag{Name: flagHeartbeat, EnvVars: []string{"RECON_HEARTBEAT_URL"}, DefaultText: "none", Usage: "monitoring check that is pinged when a run starts (/start), is recorded, or fails (/EXITCODE)"},
				&cli.StringFlag{Name: flagNotify, EnvVars: []string{"RECON_NOTIFY_URL"}, DefaultText: "none", Usage: "webhook that takes the nightly message as {\"text\": …}"},
				&cli.StringFlag{Name: flagMetrics, DefaultText: "none", Usage: "file for a collector of metrics, replaced after each run"},
			},
			policyFlags(), []cli.Flag{paperFlag(), exitCodeFlag()},
		),
		Action: func(c *cli.Context) error { return scheduleRuns(c, p) },
	}
}

// slotStore remembers slots where every replica sees them.
type slotStore interface {
	// LastSlot is when the newest slot was due that was claimed or written down as missed; zero = none ever.
	LastSlot(ctx context.Context) (time.Time, error)
	// RecordMissed writes a slot down that will not be run.
	RecordMissed(ctx context.Context, slot sql.Slot) error
}

// scheduler runs one job per slot.
type scheduler struct {
	table timetable
	store slotStore
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
	log   *slog.Logger
	// run does the work of a slot, unless it is done already.
	run func(context.Context, slot) error
}

func scheduleRuns(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	job, err := jobOf(c, p, "")
	if err != nil {
		return err
	}
	table, err := parseTimetable(c.String(flagCron), job.policy.Zone)
	if err != nil {
		return err
	}
	if period := c.String(flagPeriod); period != "month" && period != "quarter" && period != "all" {
		return usagef("--%s %q: expected month, quarter or all", flagPeriod, period)
	}
	folder := c.String(flagReportDir)
	if err := makeFolder(folder, 0o700); err != nil {
		return err
	}
	if err := writable(filepath.Join(folder, "x")); err != nil {
		return err
	}
	log, err := logger(p, c)
	if err != nil {
		return err
	}
	tell := &notifier{
		heartbeat: c.String(flagHeartbeat), webhook: c.String(flagNotify), metrics: c.String(flagMetrics), log: log, client: &http.Client{},
	}
	if err := errors.Join(parseHook(flagHeartbeat, tell.heartbeat), parseHook(flagNotify, tell.webhook), writable(tell.metrics)); err != nil {
		return err
	}
	box, err := inboxOf(c, p, log)
	if err != nil {
		return err
	}
	db, closeDB, err := openForRun(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	var last made
	s := &scheduler{
		table: table, store: db, now: p.now, sleep: sleep, log: log,
		run: func(ctx context.Context, at slot) error {
			began := p.now()
			tell.started(ctx, at)
			got, err := box(db).empty(ctx)
			var done made
			if err == nil {
				done, err = runSlot(ctx, db, job, at, folder, c.String(flagPeriod), p.now())
			}
			switch {
			case errors.Is(err, sql.ErrLocked):
				return err // whoever holds the lock tells
			case err != nil:
				tell.fail(ctx, at, err)
				return err
			case done.report == nil:
				tell.elsewhere(ctx, at)
				return nil
			}
			if c.String(flagInbox) != "" {
				done.inbox = &got
			}
			last = done
			message := done.message() + got.String()
			tell.succeeded(ctx, at, done.report, message, p.now().Sub(began))
			if c.Bool(flagJSON) {
				return writeJSON(p.stdout, done)
			}
			_, err = io.WriteString(p.stdout, message)
			return err
		},
	}
	if !c.Bool(flagOnce) {
		return s.loop(c.Context)
	}
	if err := s.once(c.Context); err != nil {
		return err
	}
	if c.Bool(flagJSON) && last.report == nil {
		return printJSON(p.stdout, ordered{{"run_id", nil}}) // nothing was due
	}
	if c.Bool(flagExitCode) && last.report != nil && last.findings() {
		return errFindings
	}
	return nil
}

// inboxOf opens the inbox that the flags name, or one that is always empty.
func inboxOf(c *cli.Context, p *program, log *slog.Logger) (func(*sql.DB) *inbox, error) {
	folder := c.String(flagInbox)
	if folder == "" {
		return func(*sql.DB) *inbox { return nil }, nil
	}
	options, err := importOptionsOf(c)
	if err != nil {
		return nil, err
	}
	if err := openInbox(folder); err != nil {
		return nil, err
	}
	return func(db *sql.DB) *inbox {
		return &inbox{folder: folder, now: p.now, log: log, load: func(ctx context.Context, path string) (sql.ImportResult, error) {
			options.at, options.by = p.now(), userName(p)
			return importFile(ctx, p, db, flagLedger, path, options)
		}}
	}, nil
}

// runSlot makes the run of a slot and writes down how it ended. Without an error and without a report the slot was
// done already, by a replica or before a crash.
func runSlot(ctx context.Context, db *sql.DB, j job, at slot, folder, period string, now time.Time) (made, error) {
	var err error
	if j.asOf, err = notBefore(ctx, db, at.due); err != nil {
		return made{}, err
	}
	j.slot, j.recordedAt = at.key, now
	j.period = periodBefore(at.due, j.policy.Zone, period)
	j.workbook = filepath.Join(folder, "recon-"+strings.NewReplacer(":", "", "T", "-").Replace(at.key)+".xlsx")
	done, err := runOnce(ctx, db, j)
	if errors.Is(err, sql.ErrLocked) {
		return made{}, err // whoever holds the lock may be running this very slot
	}
	if errors.Is(err, sql.ErrSlotDone) {
		done, err = made{}, nil
	}
	var run int64
	if done.report != nil {
		run = done.report.Run.ID
	}
	// The slot is written down even if the run was stopped by a signal.
	noted := db.FinishSlot(context.WithoutCancel(ctx), sql.Slot{Key: at.key, Due: at.due}, run, j.recordedBy, now, err)
	return done, errors.Join(err, noted)
}

// notBefore is the moment that a run judges by which is to judge as of another: that one, so that a late or repeated run of a
// slot says the same, or that of the last run if it is later, for the recorded state never goes back.
func notBefore(ctx context.Context, db *sql.DB, at time.Time) (time.Time, error) {
	runs, err := db.Runs(ctx, 1)
	if err != nil {
		return time.Time{}, err
	}
	if len(runs) > 0 && runs[0].AsOf.After(at) {
		return runs[0].AsOf, nil
	}
	return at, nil
}

// periodBefore is the month or quarter of the day before an instant.
func periodBefore(t time.Time, zone *time.Location, period string) ledger.Period {
	day := t.In(zone).AddDate(0, 0, -1)
	switch period {
	case "month":
		return ledger.Month(day.Year(), day.Month(), zone)
	case "quarter":
		return ledger.Quarter(day.Year(), int(day.Month()-1)/3+1, zone)
	default:
		return ledger.Period{}
	}
}

// loop runs until the context ends, which is a clean stop.
func (s *scheduler) loop(ctx context.Context) error {
	retry := firstRetry
	for {
		due, err := s.pending(ctx)
		if err == nil && due != nil {
			err = s.attempt(ctx, *due)
		}
		pause := longestNap
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			s.log.Error("run", "error", err)
			pause, retry = retry, min(2*retry, lastRetry)
		case due != nil:
			retry = firstRetry
			continue
		default:
			retry = firstRetry
			pause = min(pause, max(time.Second, s.table.next(s.now()).due.Sub(s.now())))
		}
		if err := s.sleep(ctx, pause); err != nil {
			return context.Cause(ctx)
		}
	}
}

// attempt runs a slot. A panic ends the run, not the daemon; the slot is tried again.
func (s *scheduler) attempt(ctx context.Context, at slot) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("slot %s: panic: %v", at.key, r)
		}
	}()
	s.log.Info("run", "slot", at.key, "due", at.due)
	if err := s.run(ctx, at); err != nil {
		return fmt.Errorf("slot %s: %w", at.key, err)
	}
	return nil
}

// once runs the newest due slot.
func (s *scheduler) once(ctx context.Context) error {
	due, err := s.pending(ctx)
	if err != nil || due == nil {
		return err
	}
	return s.attempt(ctx, *due)
}

// pending is the newest slot that is due and not done; older ones are written down as missed. The database is asked
// for the last one, so that restarts, replicas and clocks that jump cannot make a slot run twice. A database that has
// never seen a slot starts with the newest one within a day.
func (s *scheduler) pending(ctx context.Context) (*slot, error) {
	now := s.now().Round(0)
	last, err := s.store.LastSlot(ctx)
	if err != nil {
		return nil, fmt.Errorf("last slot: %w", err)
	}
	first := last.IsZero()
	if first {
		last = now.Add(-24 * time.Hour)
	}
	due := s.table.due(last, now, mostMissed)
	if len(due) == 0 {
		return nil, nil
	}
	for _, missed := range due[:len(due)-1] {
		if first {
			break // nobody was there to miss it
		}
		if err := s.store.RecordMissed(ctx, sql.Slot{Key: missed.key, Due: missed.due}); err != nil {
			return nil, fmt.Errorf("missed slot %s: %w", missed.key, err)
		}
	}
	if n := len(due) - 1; n > 0 && !first {
		s.log.Warn("missed", "slots", n, "first", due[0].key, "last", due[n-1].key)
	}
	return &due[len(due)-1], nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

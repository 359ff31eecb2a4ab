package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"agentrecon/recon"
	"agentrecon/report"
)

const (
	// notifyBudget is the time that all the requests of one notice may take.
	notifyBudget = 5 * time.Second
	// notifyLimit bounds a body; monitoring services cut at ten kilobytes.
	notifyLimit = 10_000
)

// notifier tells the world how a scheduled run went. Nothing that goes wrong here fails a run: it is logged, without
// the address, for an address of this kind is a secret.
type notifier struct {
	heartbeat string // address of a monitoring check; empty = none
	webhook   string // address that takes {"text": …}, as chat services do; empty = none
	metrics   string // file for a collector of metrics; empty = none
	log       *slog.Logger
	client    *http.Client
	failed    string // slot whose failure was told: its retries are not told again
}

// parseHook checks an address without ever printing it.
func parseHook(flag, address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return configError{fmt.Sprintf("--%s: expected an address such as https://example.com/ping/…", flag)}
	}
	return nil
}

// started tells that the run of a slot begins.
func (n *notifier) started(ctx context.Context, at slot) {
	if n.heartbeat != "" {
		n.post(ctx, "heartbeat", beat(n.heartbeat, "/start", at), "text/plain; charset=utf-8", nil)
	}
}

// succeeded tells how a run went that is committed.
func (n *notifier) succeeded(ctx context.Context, at slot, r *recon.Report, message string, took time.Duration) {
	n.failed = ""
	if n.heartbeat != "" {
		n.post(ctx, "heartbeat", beat(n.heartbeat, "", at), "text/plain; charset=utf-8", []byte(message))
	}
	n.tell(ctx, message)
	if n.metrics != "" {
		if err := writeMetrics(n.metrics, r, took); err != nil {
			n.log.Warn("metrics not written", "error", err)
		}
	}
}

// elsewhere tells that the slot whose start was told has its run already, from a replica.
func (n *notifier) elsewhere(ctx context.Context, at slot) {
	if n.heartbeat != "" {
		n.post(ctx, "heartbeat", beat(n.heartbeat, "", at), "text/plain; charset=utf-8", []byte("the slot has its run already\n"))
	}
}

// fail tells that a run failed, once for each slot.
func (n *notifier) fail(ctx context.Context, at slot, err error) {
	if n.failed == at.key {
		return
	}
	n.failed = at.key
	message := fmt.Sprintf("recon: slot %s failed (exit code %d): %s\n", at.key, exitCode(err), inOneLine(err))
	if n.heartbeat != "" {
		n.post(ctx, "heartbeat", beat(n.heartbeat, fmt.Sprintf("/%d", exitCode(err)), at), "text/plain; charset=utf-8", []byte(message))
	}
	n.tell(ctx, message)
}

func (n *notifier) tell(ctx context.Context, message string) {
	if n.webhook == "" {
		return
	}
	body, err := json.Marshal(map[string]string{"text": clipped(message)})
	if err != nil {
		n.log.Warn("not told", "error", err)
		return
	}
	n.post(ctx, "webhook", n.webhook, "application/json", body)
}

// beat is the address of a heartbeat; rid lets the service pair the start of a run with its end.
func beat(address, suffix string, at slot) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // refused when the program started
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + suffix
	query := u.Query()
	sum := sha256.Sum256([]byte("recon slot " + at.key))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version and variant of RFC 9562, section 5.8
	query.Set("rid", fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
	u.RawQuery = query.Encode()
	return u.String()
}

// post sends a body, twice if it must, within the budget. It is sent after a stop by signal too: that is when it matters.
func (n *notifier) post(ctx context.Context, what, address, kind string, body []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyBudget)
	defer cancel()
	var err error
	for range 2 {
		if err = n.send(ctx, address, kind, body); err == nil {
			return
		}
	}
	n.log.Warn("not told", "by", what, "error", err)
}

func (n *notifier) send(ctx context.Context, address, kind string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader([]byte(clipped(string(body)))))
	if err != nil {
		return errors.New("the address cannot be used")
	}
	request.Header.Set("Content-Type", kind)
	response, err := n.client.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the address
		}
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, notifyLimit))
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the answer is %s", response.Status)
	}
	return nil
}

// clipped cuts a text to the limit, between characters.
func clipped(text string) string {
	if len(text) <= notifyLimit {
		return text
	}
	return strings.ToValidUTF8(text[:notifyLimit], "")
}

// writeMetrics writes the state after a run for a collector of text files (Prometheus text format 0.0.4). The file is
// replaced whole, says nothing but counts, and may be read by everybody, for a collector runs as somebody else.
func writeMetrics(path string, r *recon.Report, took time.Duration) error {
	err := report.WriteWhole(path, func(w io.Writer) error {
		for _, m := range []struct {
			name, help string
			value      int64
		}{
			{"recon_last_success_timestamp_seconds", "When the last run was recorded.", r.Run.RecordedAt.Unix()},
			{"recon_last_run_duration_seconds", "How long it took, rounded up.", int64((took + time.Second - 1) / time.Second)},
			{"recon_chain_length", "Recorded runs.", r.Run.ID},
			{"recon_unresolved_attempts", "Attempts without a definite outcome that need a person, in the report's period.", r.Totals.CountKind(recon.Attempts, recon.Unresolved)},
			{"recon_mismatched_attempts", "Attempts that the ledger contradicts, in the report's period.", r.Totals.CountKind(recon.Attempts, recon.Mismatch)},
			{"recon_unattempted_movements", "Entries that no attempt explains, in the report's period.", r.Totals.Entries.ClassCount(recon.UnattemptedMovement)},
			{"recon_open_from_earlier", "Attempts and entries of earlier periods that are still open.", int64(len(r.Earlier.Attempts) + len(r.Earlier.Entries))},
			{"recon_standing_unknown_marks", "Attempts marked unknown, in the report's period.", r.Totals.UnknownMarked},
		} {
			if _, err := fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s gauge\n%[1]s %[3]d\n", m.name, m.help, m.value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

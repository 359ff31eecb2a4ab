package main

import (
	"errors"
	"flag"
	"fmt"

	"agentrecon/recon/capture"
)

// pre records an attempt before the call is made. It blocks the call only if the attempt can be recorded nowhere.
func pre(p *process, args []string) (status int) {
	h := newHook(p, capture.Pre)
	defer func() {
		if r := recover(); r != nil {
			status = h.proceedLost(fmt.Errorf("recon-hook has a fault: %v", r))
		}
	}()
	if help(p, "pre", args) {
		return exitOK
	}
	event, lost := h.read(func(s *settings) error {
		err := parse(preFlags(p, "pre", s), args)
		if err == nil && s.onError != "block" && s.onError != "allow" {
			err = errors.New("--on-error must be block or allow")
		}
		return err
	})
	if lost != nil {
		return h.proceedLost(lost)
	}
	if event.Ignored != "" {
		return h.print(h.harness.Neutral())
	}
	record := h.record(event, nil)
	if event.Phase == capture.Pre {
		h.begin(record)
	}
	after, err := h.keep(record)
	if err != nil && event.Phase != capture.Pre {
		// Wired for another event: what is over cannot be stopped, and its result must not be hidden.
		h.complain(err)
		h.print(h.harness.Neutral())
		return exitFailed
	}
	if err != nil {
		return h.refuse(err)
	}
	status = h.print(event.Proceed(h.settings.approvedElsewhere))
	after()
	return status
}

// proceedLost lets a call go on whose event could not be read, once that is on record.
func (h *hook) proceedLost(lost error) int {
	after, err := h.keep(h.record(h.lostEvent(), lost))
	if err != nil {
		return h.refuse(err)
	}
	h.complain(fmt.Errorf("recorded as lost: %w", lost))
	status := h.print(h.harness.Neutral())
	after()
	return status
}

// refuse blocks a call that is on no record, unless the operator prefers an unrecorded payment to none.
func (h *hook) refuse(err error) int {
	if h.settings.onError == "allow" {
		h.complain(err)
		return h.print(h.harness.Neutral())
	}
	return h.print(h.harness.Block("recon-hook: " + err.Error()))
}

func preFlags(p *process, name string, s *settings) *flag.FlagSet {
	set := postFlags(p, name, s)
	set.BoolVar(&s.fillKey, "fill-key", false, "give calls without an idempotency key one")
	set.BoolVar(&s.approvedElsewhere, "approved-elsewhere", false, "calls are approved outside the harness: permits an allow next to a filled key")
	set.StringVar(&s.onError, "on-error", "block", "what to do with a payment that can be recorded nowhere: block or allow")
	return set
}

package main

import (
	"flag"
	"fmt"
	"strings"

	"agentrecon/recon/capture"
)

// post records what came of a call. It blocks nothing and hides nothing: the answer is printed before the work.
func post(p *process, args []string) int {
	return observe(p, "post", capture.Post, args)
}

// observe runs a hook after which nothing can be undone.
func observe(p *process, name string, phase capture.Phase, args []string) (status int) {
	h := newHook(p, phase)
	defer func() {
		if r := recover(); r != nil {
			h.complain(fmt.Errorf("recon-hook has a fault: %v", r))
			status = exitFailed
		}
	}()
	if help(p, name, args) {
		return exitOK
	}
	event, lost := h.read(func(s *settings) error {
		err := parse(postFlags(p, name, s), args)
		// A crash below must not leave the harness without an answer.
		h.print(capture.Harness(s.harness).Neutral())
		return err
	})
	if event.Ignored != "" {
		return exitOK
	}
	after, err := h.keep(h.record(event, lost))
	if err == nil {
		after()
		err = lost
	}
	if err != nil {
		h.complain(err)
		return exitFailed
	}
	return exitOK
}

func postFlags(p *process, name string, s *settings) *flag.FlagSet {
	set := s.flags(p, name)
	s.ofHarness(set)
	s.database(p, set)
	return set
}

// help explains a hook's flags if that is all that is asked for. A hook must not wait for stdin then.
func help(p *process, name string, args []string) bool {
	if len(args) != 1 || strings.TrimLeft(args[0], "-") != "h" && strings.TrimLeft(args[0], "-") != "help" {
		return false
	}
	flags := postFlags
	if name == "pre" {
		flags = preFlags
	}
	set := flags(p, name, &settings{})
	set.SetOutput(p.stdout)
	set.Usage()
	return true
}

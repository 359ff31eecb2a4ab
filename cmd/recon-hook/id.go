package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"agentrecon/recon/capture"
)

// id prints under which ids an event is recorded, or checks a file of vectors. It touches no database.
func id(p *process, args []string) int {
	var s settings
	set := s.flags(p, "id")
	s.ofHarness(set)
	vectors := set.String("vectors", "", "check the ids of a `file` of vectors (JSON Lines: name, raw_b64, source, attempt_id, canonical)")
	if err := parse(set, args); err != nil {
		return usageStatus(err)
	}
	var err error
	if *vectors != "" {
		err = checkVectors(p, *vectors)
	} else {
		err = printID(p, &s)
	}
	if err != nil {
		p.complain(err)
		return exitData
	}
	return exitOK
}

func printID(p *process, s *settings) error {
	harness, err := capture.ParseHarness(s.harness)
	if err != nil {
		return err
	}
	rules, err := s.rules(p)
	if err != nil {
		return err
	}
	in := readPayload(p.stdin, time.Hour)
	if in.lost != "" {
		return errors.New(in.lost)
	}
	event, err := rules.Read(in.bytes, capture.Options{Harness: harness, Hint: capture.Pre, At: p.now()})
	if err != nil {
		return err
	}
	if event.Attempt.ID == "" {
		return fmt.Errorf("the event %s says nothing about a call", event.Name)
	}
	encoder := json.NewEncoder(p.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		AttemptID  string `json:"attempt_id"`
		IDSource   string `json:"id_source"`
		ArgsSHA256 string `json:"args_sha256"`
	}{event.Attempt.ID, string(event.Attempt.IDSource), event.Attempt.ArgsSHA256})
}

func checkVectors(p *process, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxPayload)
	checked, wrong := 0, 0
	for lines.Scan() {
		v, err := capture.ParseVector(lines.Bytes())
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, checked+1, err)
		}
		checked++
		if err := v.Check(); err != nil {
			wrong++
			p.complain(err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", file, checked+1, err)
	}
	fmt.Fprintf(p.stdout, "%d vectors, %d differ\n", checked, wrong)
	if wrong > 0 {
		return fmt.Errorf("%s: %d of %d ids differ from those of the original hooks", file, wrong, checked)
	}
	return nil
}

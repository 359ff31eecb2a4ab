package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"agentrecon/recon/capture"
)

//go:embed install
var installFiles embed.FS

// install describes where the settings of each harness go.
var installs = map[capture.Harness]struct {
	file   string
	before string // what the harness may put before a tool's name, as a regular expression
	note   string
}{
	capture.ClaudeCode: {
		"claude-code.json", `(mcp__.*__)?`,
		"Merge this into the managed settings, .claude/settings.json of the project, or ~/.claude/settings.json.\n" +
			"onFailure needs Claude Code 2.1.295 or later; earlier versions ignore it.",
	},
	capture.Codex: {"codex.json", `(mcp__.*__)?`, "Merge this into ~/.codex/hooks.json. Codex tells hooks nothing of failed calls: their outcome stays unknown until the ledger says."},
	capture.Gemini: {
		"gemini.json", `(mcp_.*_)?`,
		"Merge this into ~/.gemini/settings.json. Gemini gives calls no id: two equal payments in one session look like one, delivered twice.",
	},
	capture.Cursor:  {"cursor.json", `(MCP:)?`, "Merge this into .cursor/hooks.json. Do not register beforeMCPExecution as well: it comes for the same call, without its id."},
	capture.Copilot: {"copilot.json", "", "Save this as .github/hooks/recon.json. Copilot has no matchers: recon-hook passes over tools that are not for payments. Calls have no id."},
	capture.Windsurf: {
		"windsurf.json", "",
		"Merge this into ~/.codeium/windsurf/hooks.json. Windsurf has no matchers, tells hooks nothing of failed calls and gives calls no id.",
	},
	capture.Plain: {
		"plain.json", "",
		"For a harness of your own, or in place of the original hooks: start these two, with the event on stdin, and read all they print.\n" +
			"Exit status 2 before a call says that it must not be made.",
	},
	capture.OpenCode: {"opencode.js", "", "Save this as .opencode/plugin/recon.js. opencode tells plugins nothing of failed calls."},
}

// install prints the settings for a harness: those on stdout, where they go on stderr.
func install(p *process, args []string) int {
	var s settings
	set := s.flags(p, "install")
	s.ofHarness(set)
	binary := set.String("binary", "", "`path` of recon-hook in the settings (default: this program)")
	if err := parse(set, args); err != nil {
		return usageStatus(err)
	}
	text, note, err := installText(p, &s, *binary)
	if err != nil {
		p.complain(err)
		return exitUsage
	}
	fmt.Fprintln(p.stderr, note)
	fmt.Fprint(p.stdout, text)
	return exitOK
}

func installText(p *process, s *settings, binary string) (text, note string, err error) {
	harness, err := capture.ParseHarness(s.harness)
	if err != nil {
		return "", "", err
	}
	how, ok := installs[harness]
	if !ok {
		return "", "", errors.New("say which harness: --harness claude-code, codex, gemini, cursor, copilot, windsurf, opencode or plain")
	}
	rules, err := s.rules(p)
	if err != nil {
		return "", "", err
	}
	if binary == "" {
		if binary, err = os.Executable(); err != nil {
			return "", "", err
		}
	}
	if strings.ContainsAny(binary, " \t\"'\\$`") {
		return "", "", fmt.Errorf("path %q has blanks or quotes, which harnesses read differently: give --binary another one", filepath.Clean(binary))
	}
	content, err := installFiles.ReadFile("install/" + how.file)
	if err != nil {
		return "", "", err
	}
	matcher := strings.ReplaceAll(matcherFor(rules, how.before), `\`, `\\`)
	return strings.NewReplacer("RECON_HOOK", binary, "MATCHER", matcher).Replace(string(content)), how.note, nil
}

// matcherFor is the regular expression of the tools that the rules name, in the spelling of a harness. It is anchored,
// for some harnesses look for it anywhere in a name and some do not.
func matcherFor(rules capture.Rules, before string) string {
	var names []string
	for _, tool := range rules.Tools {
		for _, pattern := range tool.Match {
			name := strings.NewReplacer(`\*`, ".*", `\?`, ".", `\[`, "[", `\]`, "]").Replace(regexp.QuoteMeta(pattern))
			names = append(names, name)
		}
	}
	return "^" + before + "(" + strings.Join(names, "|") + ")$"
}

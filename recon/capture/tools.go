package capture

import (
	"fmt"
	"path"
	"strings"

	"agentrecon/ledger"
)

// A Tool says which calls are payments, and where their arguments hold what is reconciled.
type Tool struct {
	// Match are patterns of tool names, in which * stands for any text, ? for one character and [ab] for one of
	// some. A name matches as the harness spells it (mcp__payments__transfer_funds) and without what the harness
	// puts before it (transfer_funds).
	Match []string

	// Each field is looked for at its paths in turn; the first that is there counts.
	Amount         []Path
	Unit           Unit
	Currency       []Path
	Source         []Path
	Dest           []Path
	Reference      []Path
	IdempotencyKey []Path
	ProviderRef    []Path // in the result

	// DefaultCurrency is that of calls which name none. If it is empty too, the database's own default holds, and
	// amounts in major units cannot be read.
	DefaultCurrency ledger.Currency

	// FillKey gives calls without an idempotency key one, where the harness lets a hook do that.
	FillKey bool
}

// Rules are what a recorder is told about payments.
type Rules struct {
	Tools []Tool // the first that matches counts
}

// DefaultRules are for a tool named transfer_funds with the arguments of the original hooks.
func DefaultRules() Rules {
	return Rules{Tools: []Tool{defaultTool()}}
}

func defaultTool() Tool {
	return Tool{
		Match:          []string{"transfer_funds"},
		Amount:         []Path{"amount_cents", "amount_minor"},
		Unit:           Minor,
		Currency:       []Path{"currency"},
		Source:         []Path{"source_account", "from_account"},
		Dest:           []Path{"dest_account", "destination_account", "to_account"},
		Reference:      []Path{"reference", "ref"},
		IdempotencyKey: []Path{"idempotency_key"},
		ProviderRef: []Path{
			"provider_ref", "provider_reference", "payment_id", "transfer_id", "payout_id", "transaction_id", "charge_id", "id",
		},
	}
}

// find returns the first tool that one of the names matches.
func (r Rules) find(names []string) (Tool, bool) {
	for _, tool := range r.Tools {
		for _, pattern := range tool.Match {
			for _, name := range names {
				// Tool names may hold slashes, at which path.Match would stop: they are out of its sight.
				if ok, err := path.Match(hideSlashes(pattern), hideSlashes(name)); ok && err == nil {
					return tool, true
				}
			}
		}
	}
	return Tool{}, false
}

func hideSlashes(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// bareNames are the names under which a pattern may know a tool: the one that the harness gave, and those that
// stay when a server's name is taken off. separator is what the harness writes between server and tool where
// nothing else marks the border, so that each place of it may be the border.
func bareNames(name, separator string) []string {
	names := []string{name}
	if len(name) > maxTextBytes {
		return names // no tool's: there could be thousands of borders in it
	}
	if rest, ok := strings.CutPrefix(name, "MCP:"); ok {
		return append(names, rest)
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		// mcp__server__tool; a tool's name may hold the two underscores as well.
		for {
			_, tool, ok := strings.Cut(rest, "__")
			if !ok {
				return names
			}
			names, rest = append(names, tool), tool
		}
	}
	if separator == "" {
		return names
	}
	for rest := name; ; {
		_, tool, ok := strings.Cut(rest, separator)
		if !ok {
			return names
		}
		names, rest = append(names, tool), tool
	}
}

// ParseRules reads rules from JSON: {"tools": [{"match": ["create_payout"], "amount": "amount.value", "unit":
// "major", …}]}. Members are match, amount, unit, currency, default_currency, source, dest, reference,
// idempotency_key, provider_ref and fill_key. Each but unit, default_currency and fill_key is a text or a list of
// texts, and those that are not given are as in [DefaultRules].
func ParseRules(data []byte) (Rules, error) {
	v, err := Decode(data)
	if err != nil {
		return Rules{}, err
	}
	if v.Kind != Object {
		return Rules{}, fmt.Errorf("expected an object such as {%q: […]}", "tools")
	}
	for _, m := range v.Members {
		if m.Name != "tools" {
			return Rules{}, fmt.Errorf("field %q is unknown; the one field here is %q", m.Name, "tools")
		}
	}
	list, _ := v.Get("tools")
	if list.Kind != List || len(list.Items) == 0 {
		return Rules{}, fmt.Errorf("field %q: expected a list of tools, with one at least", "tools")
	}
	var rules Rules
	for i, item := range list.Items {
		tool, err := parseTool(item)
		if err != nil {
			return Rules{}, fmt.Errorf("tool %d: %w", i+1, err)
		}
		rules.Tools = append(rules.Tools, tool)
	}
	return rules, nil
}

func parseTool(v Value) (Tool, error) {
	tool := defaultTool()
	if v.Kind != Object {
		return tool, fmt.Errorf("expected an object such as {%q: […]}", "match")
	}
	tool.Match = nil
	for _, m := range v.Members {
		if err := tool.set(m.Name, m.Value); err != nil {
			return tool, fmt.Errorf("field %q: %w", m.Name, err)
		}
	}
	if len(tool.Match) == 0 {
		return tool, fmt.Errorf("field %q is missing: which tools are meant?", "match")
	}
	if tool.Unit == Major && tool.DefaultCurrency == "" && len(tool.Currency) == 0 {
		return tool, fmt.Errorf("amounts in major units need %q or %q", "currency", "default_currency")
	}
	return tool, nil
}

func (t *Tool) set(name string, v Value) (err error) {
	switch name {
	case "match":
		return t.setMatch(v)
	case "unit":
		if t.Unit = Unit(v.Text); t.Unit != Minor && t.Unit != Major {
			return fmt.Errorf("expected %q or %q", Minor, Major)
		}
	case "default_currency":
		t.DefaultCurrency, err = ledger.ParseCurrency(v.Text)
	case "fill_key":
		if v.Kind != Bool {
			return fmt.Errorf("expected true or false")
		}
		t.FillKey = v.True
	default:
		paths, ok := t.paths()[name]
		if !ok {
			return fmt.Errorf("unknown; known are match, unit, default_currency, fill_key, amount, currency, source, dest, reference, idempotency_key and provider_ref")
		}
		*paths = nil
		texts, err := textsOf(v)
		if err != nil {
			return err
		}
		for _, text := range texts {
			*paths = append(*paths, Path(text))
		}
	}
	return err
}

func (t *Tool) setMatch(v Value) (err error) {
	if t.Match, err = textsOf(v); err != nil {
		return err
	}
	for _, pattern := range t.Match {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("pattern %q: an opening [ has no end", pattern)
		}
	}
	return nil
}

func (t *Tool) paths() map[string]*[]Path {
	return map[string]*[]Path{
		"amount": &t.Amount, "currency": &t.Currency, "source": &t.Source, "dest": &t.Dest,
		"reference": &t.Reference, "idempotency_key": &t.IdempotencyKey, "provider_ref": &t.ProviderRef,
	}
}

// textsOf reads a text or a list of texts; an empty text is none.
func textsOf(v Value) ([]string, error) {
	items := v.Items
	if v.Kind == String {
		items = []Value{v}
	}
	if v.Kind != String && v.Kind != List {
		return nil, fmt.Errorf("expected a text or a list of texts")
	}
	var texts []string
	for _, item := range items {
		if item.Kind != String {
			return nil, fmt.Errorf("expected texts only")
		}
		if item.Text != "" {
			texts = append(texts, item.Text)
		}
	}
	return texts, nil
}

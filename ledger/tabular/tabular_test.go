package tabular_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/tabular"
)

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(_ *testing.T, in ledgertest.Input) string {
		return dump(in.Name, string(in.Data), options(in.Options))
	})
}

func options(o ledgertest.Options) tabular.Options {
	_, allowEmpty := o["allow-empty"]
	result := tabular.Options{AllowEmpty: allowEmpty}
	if o["columns"] == "" {
		return result
	}
	for name := range strings.SplitSeq(o["columns"], ",") {
		name, required := strings.CutSuffix(strings.TrimSpace(name), "*")
		result.Columns = append(result.Columns, tabular.Column{Name: name, Required: required})
	}
	return result
}

// dump prints everything that reading a file gives.
func dump(name, data string, options tabular.Options) string {
	return dumpReader(name, strings.NewReader(data), options)
}

func dumpReader(name string, from io.Reader, options tabular.Options) string {
	var b strings.Builder
	r, err := tabular.NewReader(name, from, options)
	if err != nil {
		return "refused " + err.Error() + "\n"
	}
	if r.Format() == tabular.CSV {
		fmt.Fprintf(&b, "csv: %s\n", strings.Join(r.Header(), "|"))
	} else {
		b.WriteString("jsonl\n")
	}
	for {
		row, err := r.Next()
		if err == nil {
			fmt.Fprintf(&b, "%d: %s\n", row.Line(), joinFields(r, row, options))
			continue
		}
		var bad *ledger.RowError
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintf(&b, "end, %d rows\n", r.Rows())
			return b.String()
		case errors.As(err, &bad):
			fmt.Fprintf(&b, "bad %s\n", err)
		default:
			fmt.Fprintf(&b, "refused %s\n", err)
			return b.String()
		}
	}
}

func joinFields(r *tabular.Reader, row *tabular.Row, options tabular.Options) string {
	n := len(options.Columns)
	if n == 0 {
		n = len(r.Header())
	}
	fields := make([]string, n)
	for i := range fields {
		fields[i] = strings.NewReplacer("\n", `\n`, "\ufeff", `\ufeff`, "\u00a0", `\u00a0`).Replace(row.Field(i))
	}
	return strings.Join(fields, "|")
}

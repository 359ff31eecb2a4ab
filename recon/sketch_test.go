package recon_test

import (
	"fmt"
	"strings"

	"agentrecon/recon/recontest"
)

// sketch prints a world for a person who has to find out why a property failed.
func sketch(w recontest.World) string {
	var b strings.Builder
	for _, a := range w.Attempts {
		fmt.Fprintf(&b, "attempt %s %d %s from %q to %q ref %q key %q at %s\n", a.ID, a.Minor, a.Currency, a.SourceAccount, a.DestAccount, a.Reference, a.IdempotencyKey, a.ProposedAt.Format("02T15:04"))
	}
	for _, o := range w.Outcomes {
		fmt.Fprintf(&b, "outcome %s %s ref %q args %.2q at %s\n", o.AttemptID, o.Status, o.ProviderRef, o.ArgsSHA256, o.ObservedAt.Format("02T15:04"))
	}
	for _, e := range w.Entries {
		at := e.BookedOn.String()
		if !e.OccurredAt.IsZero() {
			at = e.OccurredAt.Format("02T15:04")
		}
		fmt.Fprintf(&b, "entry %s %s %s %d %s (gross %v, instructed %v %s) of %q to %q provider %q key %q e2e %q ref %q text %q original %q at %s\n", e.ID, e.Kind, e.Status, e.Amount, e.Currency, e.Gross, e.OrigAmount, e.OrigCurrency,
			e.AccountID, e.CounterpartyAccount, e.ProviderID, e.IdempotencyKey, e.EndToEndID, e.MerchantReference, e.RemittanceText, e.OriginalProviderID, at)
		for _, part := range e.Children {
			fmt.Fprintf(&b, "  part %d %s to %q provider %q key %q e2e %q ref %q text %q\n", part.Amount, part.Currency, part.CounterpartyAccount, part.ProviderID, part.IdempotencyKey, part.EndToEndID, part.MerchantReference, part.RemittanceText)
		}
	}
	return b.String()
}

package recon

import "slices"

// Classify looks evidence up in the decision table and returns the class and the name of the cell that
// decided, such as "settled × succeeded". Evidence outside the closed enums panics: TestEveryCellHasOneRule
// proves there is none.
func Classify(e Evidence) (Class, string) {
	rule := slices.IndexFunc(Rules, func(r Rule) bool { return r.Settlement == e.Settlement })
	column := slices.IndexFunc(OutcomeColumns[:], func(c OutcomeColumn) bool { return slices.Contains(c.Outcomes, e.Outcome) })
	if rule < 0 || column < 0 {
		panic("recon: no rule for " + string(e.Settlement) + " × " + string(e.Outcome))
	}
	class := Rules[rule].Classes[column]
	if class == byVariance {
		class = varianceClasses[e.Variance]
	}
	return class, string(e.Settlement) + " × " + string(e.Outcome)
}

package recon

import (
	"context"
	"slices"
)

// RunUnsieved is [Run] without its sieve: everything goes to the docket and is judged in full.
func RunUnsieved(ctx context.Context, books Books, request Request) (*Result, error) {
	return runSieved(ctx, books, request, false)
}

// MultisetsOf calls with every choice of up to most values, repeats included.
func MultisetsOf[T any](values []T, most int, each func([]T)) {
	var walk func(from int, chosen []T)
	walk = func(from int, chosen []T) {
		each(chosen)
		if len(chosen) == most {
			return
		}
		for n := from; n < len(values); n++ {
			walk(n, append(slices.Clone(chosen), values[n]))
		}
	}
	walk(0, nil)
}

package recon

import "context"

// RunUnsieved is [Run] without its sieve: everything goes to the docket and is judged in full.
func RunUnsieved(ctx context.Context, books Books, request Request) (*Result, error) {
	return runSieved(ctx, books, request, false)
}

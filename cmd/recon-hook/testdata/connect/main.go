// Command connect opens a connection and closes it, as a hook does, with nothing in between: what a hook is measured by.
package main

import (
	"context"
	"fmt"
	"os"

	"agentrecon/sql/recorder"
)

func main() {
	db, err := recorder.Open(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	db.Leave()
}

package recorder_test

import (
	"os"
	"testing"

	"agentrecon/sql/sqltest"
)

func TestMain(m *testing.M) { os.Exit(sqltest.Main(m)) }

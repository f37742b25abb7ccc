package inputs

import (
	"testing"
	"time"
)

// testStart is when the recordings of the tests begin.
func testStart(t *testing.T) time.Time {
	t.Helper()
	start, err := time.Parse("2006-01-02 15:04:05", "1989-04-24 16:13:00")
	if err != nil {
		t.Fatal(err)
	}
	return start
}

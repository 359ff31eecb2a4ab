package report

import "testing"

// A page break stands before a block, so a chart that reached into the next one would be cut.
func TestChartsEndBeforeTheNextBlock(t *testing.T) {
	g := &grid{widths: []float64{10}}
	first := g.section("a short table")
	g.charts = append(g.charts, chart{row: first, height: 234})
	if next := g.section("the next"); next <= g.charts[0].lastRow() || next < first+12 {
		t.Errorf("the next block begins in row %d, the chart from row %d reaches row %d", next, first, g.charts[0].lastRow())
	}
}

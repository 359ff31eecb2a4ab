package report

import (
	"fmt"

	"github.com/xuri/excelize/v2"
)

// chart is a chart of a table on a sheet of blocks. It shows nothing that the table beside it does not say, and its text
// says so to who cannot see it.
type chart struct {
	row, column   int // top left cell
	width, height int // pixels
	sheet         Sheet
	head          int // row with the names of the series
	first, last   int // rows of the categories
	columns       []int
	stacked       bool // columns of parts; else lines over time
	title         string
	alt           string
}

// lastRow is the last row that the chart reaches beside rows of one line, with a row of air below it.
func (c *chart) lastRow() int {
	const pointsPerPixel = 0.75
	return c.row + int(float64(c.height)*pointsPerPixel/lineHeight) + 1
}

// chartInks are the colours of series: they differ in lightness too, for readers and printers without colour.
var chartInks = []string{navy, "9C0006", "8497B0", "BF9000", "A9D08E"}

// add puts the chart onto its sheet; the stream must still be open.
func (c *chart) add(f *excelize.File, index int) error {
	kind := excelize.Line
	if c.stacked {
		kind = excelize.ColStacked
	}
	span := func(column int) string {
		return fmt.Sprintf("%s!$%s$%d:$%s$%d", quoted(c.sheet), columnName(column), c.first, columnName(column), c.last)
	}
	var series []excelize.ChartSeries
	for i, column := range c.columns {
		ink := chartInks[i%len(chartInks)]
		series = append(series, excelize.ChartSeries{
			Name: on(c.sheet, column, c.head), Categories: span(1), Values: span(column),
			Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{ink}}, Line: excelize.LineOptions{Width: 1.75, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{ink}}},
		})
	}
	small := excelize.Font{Family: "Arial", Size: 8, Color: black}
	plainColours, gap := false, uint(60)
	return f.AddChart(string(c.sheet), at(c.column, c.row), &excelize.Chart{
		Type: kind, Series: series, VaryColors: &plainColours, GapWidth: &gap,
		Title:     excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: c.title, Font: &excelize.Font{Family: "Arial", Size: 9, Bold: true, Color: navy}}}},
		Legend:    excelize.ChartLegend{Position: "right", Font: &small},
		XAxis:     excelize.ChartAxis{Font: small},
		YAxis:     excelize.ChartAxis{Font: small, MajorGridLines: true},
		Dimension: excelize.ChartDimension{Width: uint(c.width), Height: uint(c.height)},
		Format:    excelize.GraphicOptions{AltText: c.alt, Name: fmt.Sprintf("Chart %d: %s", index+1, c.title), OffsetX: 6, OffsetY: 4},
	})
}

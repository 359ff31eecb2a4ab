package report

import (
	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
)

// Number formats. Negative amounts stand in parentheses, as auditors read them; zero shows as zero.
const (
	formatGeneral = ""
	formatText    = "@"
	formatCount   = "#,##0_);(#,##0)"
	formatInteger = "0_);-0_)"
	formatInstant = "yyyy-mm-dd hh:mm:ss"
	formatDate    = "yyyy-mm-dd"
	formatDays    = "#,##0.0"
)

// moneyFormats are the formats of amounts, by decimals of the currency.
var moneyFormats = [...]string{
	"#,##0_);(#,##0)",
	"#,##0.0_);(#,##0.0)",
	"#,##0.00_);(#,##0.00)",
	"#,##0.000_);(#,##0.000)",
	"#,##0.0000_);(#,##0.0000)",
}

func moneyFormat(c ledger.Currency) string { return moneyFormats[c.Exponent()] }

// Colours. None of them says anything that words beside it do not say.
const (
	navy     = "1F3864"
	band     = "DCE6F1"
	hairline = "D0D5DD"
	grey     = "595959"
	white    = "FFFFFF"
	black    = "000000"
	ochre    = "7F6000"
	ochreInk = "FFF9E6"
	green    = "2F5D33"
	greenInk = "F0F7EE"
	okInk    = "0B5A0B"
	okFill   = "E2F0D9"
	badInk   = "9C0006"
	badFill  = "FFD9D9"
	linkInk  = "0B3D91"
	headInk  = "44546A"
)

// style is how a cell looks; equal styles share one entry of the style table.
type style struct {
	size                 float64
	ink, fill            string
	bold, italic         bool
	underline            bool
	wrap, open           bool // open = unlocked for input
	toRight, centre, top bool
	line, rule, box      bool // hairline below, rules of a total, box of an input cell
	last                 bool // double rule: nothing comes after this total
	middle               bool
	format               string
	indent               int
}

// as returns the style with a number format; numbers stand on the right.
func (s style) as(format string) style {
	s.format = format
	if format != formatText && format != formatGeneral {
		s.toRight = !s.centre
	}
	return s
}

// The methods below return the style with one thing changed.

func (s style) right() style       { s.toRight = true; return s }
func (s style) strong() style      { s.bold = true; return s }
func (s style) wrapped() style     { s.wrap = true; return s }
func (s style) centred() style     { s.centre = true; return s }
func (s style) withLine() style    { s.line = true; return s }
func (s style) leftAligned() style { s.toRight = false; return s }
func (s style) light() style       { s.bold = false; return s }
func (s style) total() style       { s.bold, s.rule, s.line = true, true, false; return s }
func (s style) final() style       { s = s.total(); s.last = true; return s }

// The looks of the workbook.
var (
	plain      = style{size: 9, ink: black, top: true, indent: 1}
	lined      = plain.withLine()
	titleLook  = style{size: 14, ink: navy, bold: true}
	noteLook   = style{size: 9, ink: grey}
	besideLook = style{size: 9, ink: grey, indent: 1}
	italicLook = style{size: 9, ink: grey, italic: true}
	section    = style{size: 10, ink: navy, bold: true, fill: band, middle: true}
	labelLook  = lined.strong()
	headLook   = style{size: 9, ink: white, bold: true, fill: navy, wrap: true, middle: true, indent: 1}
	headRight  = headLook.right()
	linkLook   = style{size: 9, ink: linkInk, underline: true, top: true, line: true, indent: 1}
	inputLook  = style{size: 9, ink: black, fill: ochreInk, open: true, wrap: true, box: true, top: true}
	auditLook  = style{size: 9, ink: black, fill: greenInk, open: true, wrap: true, box: true, top: true}
	techLook   = style{size: 8, ink: grey, line: true, top: true, indent: 1}
	checkLook  = lined.strong().centred()
)

// styles gives each look its number in the style table of one file.
type styles struct {
	file   *excelize.File
	ids    map[style]int
	ok     int // conditional: a check that agrees
	differ int // conditional: a check that does not
	urgent int // conditional: priority critical
}

// newStyles makes the conditional styles first, so that their numbers never depend on what a report holds.
func newStyles(f *excelize.File) (*styles, error) {
	s := &styles{file: f, ids: map[style]int{}}
	for _, c := range []struct {
		id        *int
		ink, fill string
	}{{&s.ok, okInk, okFill}, {&s.differ, badInk, badFill}, {&s.urgent, badInk, ""}} {
		look := &excelize.Style{Font: &excelize.Font{Bold: true, Color: c.ink}}
		if c.fill != "" {
			look.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{c.fill}}
		}
		id, err := f.NewConditionalStyle(look)
		if err != nil {
			return nil, err
		}
		*c.id = id
	}
	return s, nil
}

// id is the number of a style, made when it is first asked for.
func (s *styles) id(look style) (int, error) {
	if id, ok := s.ids[look]; ok {
		return id, nil
	}
	id, err := s.file.NewStyle(look.excel())
	if err != nil {
		return 0, err
	}
	s.ids[look] = id
	return id, nil
}

// excel is the style in the words of excelize.
func (s style) excel() *excelize.Style {
	out := &excelize.Style{
		Font:       &excelize.Font{Family: "Arial", Size: s.size, Bold: s.bold, Italic: s.italic, Color: s.ink},
		Alignment:  &excelize.Alignment{WrapText: s.wrap, Vertical: s.vertical(), Horizontal: s.horizontal()},
		Protection: &excelize.Protection{Locked: !s.open},
	}
	if out.Alignment.Horizontal == "left" {
		out.Alignment.Indent = s.indent
	}
	if s.underline {
		out.Font.Underline = "single"
	}
	if s.fill != "" {
		out.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{s.fill}}
	}
	if s.format != formatGeneral {
		format := s.format
		out.CustomNumFmt = &format
	}
	out.Border = s.borders()
	return out
}

func (s style) vertical() string {
	switch {
	case s.top:
		return "top"
	case s.middle:
		return "center"
	default:
		return ""
	}
}

func (s style) horizontal() string {
	switch {
	case s.centre:
		return "center"
	case s.toRight:
		return "right"
	case s.indent > 0 || s.format == formatText || s.wrap:
		return "left"
	default:
		return ""
	}
}

// Line numbers of excelize.
const (
	lineThin   = 1
	lineDouble = 6
)

func (s style) borders() []excelize.Border {
	switch {
	case s.box:
		var all []excelize.Border
		for _, side := range []string{"left", "right", "top", "bottom"} {
			all = append(all, excelize.Border{Type: side, Color: hairline, Style: lineThin})
		}
		return all
	case s.rule:
		below := lineThin
		if s.last {
			below = lineDouble
		}
		return []excelize.Border{{Type: "top", Color: black, Style: lineThin}, {Type: "bottom", Color: black, Style: below}}
	case s.line:
		return []excelize.Border{{Type: "bottom", Color: hairline, Style: lineThin}}
	default:
		return nil
	}
}

package figures

import (
	"fmt"
	"html"
	"math"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

// format has the functions and patterns that format a table's cells.
type format struct {
	escape func(string) string
	marked func(text string, tone Tone, says string) string // the text is escaped
	best   string                                           // of fmt
	of     string                                           // of fmt
}

var (
	markdown = format{strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace,
		func(text string, _ Tone, _ string) string { return text },
		"**%s**", ", %s"}
	page = format{html.EscapeString, shade, "<b>%s</b>", ` <span style="display:block">%s</span>`}
)

// shades are the colours of tones, light enough for text on pages of any colour.
var shades = [...]string{Favourable: "rgba(0,114,178,0.22)", Unfavourable: "rgba(213,94,0,0.22)"}

// shade formats a marked text for a page.
func shade(text string, tone Tone, says string) string {
	attributes := ""
	if tone != Neutral {
		attributes += fmt.Sprintf(` style="background:%s;padding:1px 4px"`, shades[tone])
	}
	if says != "" {
		attributes += fmt.Sprintf(` title="%s"`, html.EscapeString(says))
	}
	if attributes == "" {
		return text
	}
	return "<span" + attributes + ">" + text + "</span>"
}

// write returns a cell.
func (f format) write(c written) string {
	text := f.escape(c.value)
	if c.best {
		text = fmt.Sprintf(f.best, text)
	}
	text = f.marked(text, c.tone, c.says)
	if c.of != "" {
		text += fmt.Sprintf(f.of, f.escape(c.of))
	}
	return text
}

// written is a cell as text, without its marks.
type written struct {
	value, of string
	kind      cellKind
	best      bool
	tone      Tone
	says      string
}

// layout is a table as text: its cells by row, the columns of words, which are aligned left, and the marks that occur.
type layout struct {
	*Table
	cells [][]written
	Words []bool
	occur [len(legend)]bool
}

func (t *Table) layout() (layout, error) {
	if len(t.Columns) == 0 {
		return layout{}, invalid("figures: table %q has no columns, wanted at least one", t.Title)
	}
	for i, row := range t.Rows {
		if len(row) > len(t.Columns) {
			return layout{}, invalid("figures: table %q: row %d has %d cells for %d columns", t.Title, i, len(row),
				len(t.Columns))
		}
	}
	t = t.shown()
	l := layout{Table: t, cells: make([][]written, len(t.Rows)), Words: make([]bool, len(t.Columns))}
	for j, column := range t.Columns {
		cells := make([]Cell, len(t.Rows))
		for i, row := range t.Rows {
			cells[i] = row[j]
		}
		places, marks := decimals(cells, column.Decimals), best(cells, column.Better)
		l.Words[j] = words(cells)
		for i, c := range cells {
			w := written{value: c.value(places), of: c.of, kind: c.kind, best: marks[i], tone: c.tone, says: c.says}
			l.cells[i] = append(l.cells[i], w)
			for k, here := range []bool{c.kind == numberCell && finiteOr0(c.half) > 0, c.ranged(), w.best, c.published != nil,
				c.IsMissing(), w.of != ""} {
				l.occur[k] = l.occur[k] || here
			}
		}
	}
	return l, nil
}

// strings are the cells in a format.
func (l layout) strings(f format) [][]string {
	rows := make([][]string, len(l.cells))
	for i, row := range l.cells {
		for _, c := range row {
			rows[i] = append(rows[i], f.write(c))
		}
	}
	return rows
}

// words reports whether a column contains words: no numbers, and texts that do not all begin with a digit.
func words(column []Cell) (found bool) {
	for _, c := range column {
		if c.kind == numberCell {
			return false
		}
		first, _ := utf8.DecodeRuneInString(c.text)
		found = found || c.kind == textCell && !unicode.IsDigit(first) && !strings.ContainsRune("–−-+", first)
	}
	return found
}

// String is Markdown with the notes, or the error's message.
func (t *Table) String() string {
	s, err := t.Markdown()
	if err != nil {
		return err.Error()
	}
	if notes, _ := Notes(t).Markdown(); notes != "" { // which does not fail
		s += "\n" + notes
	}
	return s
}

// Markdown returns a table with padded columns, readable as plain text too. The best is **bold**.
func (t *Table) Markdown() (string, error) {
	l, err := t.layout()
	if err != nil {
		return "", err
	}
	cells := l.strings(markdown)
	rows := [][]string{nil, nil} // titles, and the rule below
	for j, column := range l.Columns {
		width := max(3, utf8.RuneCountInString(column.Title))
		for _, row := range cells {
			width = max(width, utf8.RuneCountInString(row[j]))
		}
		align, rule := "| %*s ", "|"+strings.Repeat("-", width+1)+":"
		if l.Words[j] {
			align, rule = "| %-*s ", "|:"+strings.Repeat("-", width+1)
		}
		rows[0], rows[1] = append(rows[0], fmt.Sprintf(align, width, column.Title)), append(rows[1], rule)
		for _, row := range cells {
			row[j] = fmt.Sprintf(align, width, row[j])
		}
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", t.Title)
	}
	for _, row := range append(rows, cells...) {
		b.WriteString(strings.Join(row, "") + "|\n")
	}
	if l.Finding != "" {
		fmt.Fprintf(&b, "\n%s\n", markdownNotes([]string{l.Finding})[0])
	}
	return b.String(), nil
}

// It takes the page's colours, so that it also reads on dark pages.
var pageTemplate = template.Must(template.New("table").Parse(`
{{- define "align"}}{{if .}}text-align:left;min-width:6em{{else -}}
text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap{{end}};padding:3px 8px;vertical-align:top{{end -}}
<div style="container-type:inline-size"><div style="overflow-x:auto" role="region" tabindex="0"
aria-label="{{with .Title}}{{html .}}{{else}}table{{end}}">
<table style="border-collapse:collapse;margin:0.5em 0;font-size:13px">
{{with .Title}}<caption style="caption-side:top;text-align:left;font-weight:bold;padding:2px 0">{{html .}}</caption>
{{end}}<thead><tr>
{{- range $j, $c := .Columns}}<th scope="col" style="{{template "align" index $.Words $j -}}
;white-space:normal;vertical-align:bottom;border-bottom:1px solid #888">
{{- html $c.Title}}</th>{{end}}</tr>
</thead>
<tbody>
{{range .Cells}}<tr>{{range $j, $text := .}}<td style="{{template "align" index $.Words $j}}
{{- if not $j}};min-width:10em{{end}}">{{$text}}</td>{{end}}</tr>
{{end}}</tbody>
</table></div>
{{.Scrolls}}</div>
{{with .Finding}}<p style="font-size:13px;margin:0.3em 0;max-width:60em">{{html .}}</p>
{{end}}`))

// leastWidth returns the least width of a table on a page, in CSS pixels of text of 13 pixels, about.
func (l layout) leastWidth() (width float64) {
	long := func(text string) float64 { return 13 * float64(noteText.Width(text)/noteText.Font.Size) }
	for j, column := range l.Columns {
		least := 0.0
		if j == 0 {
			least = 10 * 13
		} else if l.Words[j] {
			least = 6 * 13
		}
		fits := func(text string, breaks bool) {
			if !breaks {
				least = max(least, long(text))
				return
			}
			for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '-' }) {
				least = max(least, long(word))
			}
		}
		fits(column.Title, true)
		for _, row := range l.cells {
			fits(row[j].value, l.Words[j])
			fits(row[j].of, l.Words[j])
		}
		width += least + 16 // of padding
	}
	return width
}

// scrolls returns a line that a page shows below a box narrower than a width in CSS pixels. The box is in an element
// with the style container-type:inline-size.
func scrolls(width float64, what string) string {
	return fmt.Sprintf(`<style>.fig-scrolls-%[1]g{display:none}@container(max-width:%[1]gpx){.fig-scrolls-%[1]g{`+
		`display:block}}</style><p class="fig-scrolls-%[1]g" style="font-size:12px;margin:0.2em 0">`+
		`%[2]s scrolls sideways.</p>`, 10*math.Ceil(width/10), what)
}

// HTML returns a table without scripts, in a box that scrolls if the table is wider.
func (t *Table) HTML() (string, error) {
	l, err := t.layout()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = pageTemplate.Execute(&b, struct {
		layout
		Cells   [][]string
		Scrolls string
	}{l, l.strings(page), scrolls(l.leastWidth(), "The table")})
	return b.String(), err
}

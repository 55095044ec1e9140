package figures

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"
)

// format is how the cells of a table are written.
type format struct {
	escape    func(string) string
	marks     [3]string // of fmt, by mark
	published string    // of fmt
}

var (
	markdown = format{strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace,
		[...]string{markNone: "%s", markBest: "**%s**", markClose: "<u>%s</u>"}, " (%s)"}
	page = format{html.EscapeString,
		[...]string{markNone: "%s", markBest: "<b>%s</b>", markClose: "<u>%s</u>"}, ` <span style="color:#767676">%s</span>`}
)

// written is a table as text: cells by row, and which columns hold words, which are aligned left.
type written struct {
	*Table
	Cells    [][]string
	Words    []bool
	AllNotes []string // with those that explain the marks that occur
}

func (t *Table) write(f format, published string) (written, error) {
	if len(t.Columns) == 0 {
		return written{}, invalid("figures: table %q has no columns, wanted at least one", t.Title)
	}
	for i, row := range t.Rows {
		if len(row) > len(t.Columns) {
			return written{}, invalid("figures: table %q: row %d has %d cells for %d columns", t.Title, i, len(row),
				len(t.Columns))
		}
	}
	w := written{Table: t, Cells: make([][]string, len(t.Rows)), Words: make([]bool, len(t.Columns)),
		AllNotes: slices.Clone(t.Notes)}
	legend := []string{"±: 95% interval", "bold: best", "underlined: within the best's 95% interval",
		published + ": published", "–: missing"}
	occurs := make([]bool, len(legend))
	for j, column := range t.Columns {
		cells := make([]Cell, len(t.Rows)) // missing beyond the end of a row
		for i, row := range t.Rows {
			if j < len(row) {
				cells[i] = row[j]
			}
		}
		places, marks := decimals(cells, column.Decimals), compare(cells, column.Better)
		for i, c := range cells {
			text := fmt.Sprintf(f.marks[marks[i]], f.escape(c.value(places)))
			if c.published != nil {
				text += fmt.Sprintf(f.published, f.escape(estimate(c.published[0], c.published[1], places)))
			}
			w.Cells[i] = append(w.Cells[i], text)
			w.Words[j] = w.Words[j] || c.kind == textCell
			for k, here := range []bool{c.kind == numberCell && finiteOr0(c.half) > 0, marks[i] == markBest,
				marks[i] == markClose, c.published != nil, c.IsMissing()} {
				occurs[k] = occurs[k] || here
			}
		}
	}
	var explained []string
	for k, note := range legend {
		if occurs[k] {
			explained = append(explained, note)
		}
	}
	if len(explained) > 0 {
		w.AllNotes = append(w.AllNotes, strings.Join(explained, "; "))
	}
	return w, nil
}

// String is Markdown, or the error's message.
func (t *Table) String() string {
	s, err := t.Markdown()
	if err != nil {
		return err.Error()
	}
	return s
}

// Markdown returns a table with columns padded to read well as plain text too. Best is **bold**, close to it is
// <u>underlined</u>, published numbers are in parentheses.
func (t *Table) Markdown() (string, error) {
	w, err := t.write(markdown, "in parentheses")
	if err != nil {
		return "", err
	}
	rows := [][]string{nil, nil} // titles, and the rule below
	for j, column := range t.Columns {
		width := max(3, utf8.RuneCountInString(column.Title))
		for _, row := range w.Cells {
			width = max(width, utf8.RuneCountInString(row[j]))
		}
		align, rule := "| %*s ", "|"+strings.Repeat("-", width+1)+":"
		if w.Words[j] {
			align, rule = "| %-*s ", "|:"+strings.Repeat("-", width+1)
		}
		rows[0], rows[1] = append(rows[0], fmt.Sprintf(align, width, column.Title)), append(rows[1], rule)
		for _, row := range w.Cells {
			row[j] = fmt.Sprintf(align, width, row[j])
		}
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", t.Title)
	}
	for _, row := range append(rows, w.Cells...) {
		b.WriteString(strings.Join(row, "") + "|\n")
	}
	if len(w.AllNotes) > 0 {
		b.WriteString("\n" + strings.Join(w.AllNotes, "  \n") + "\n")
	}
	return b.String(), nil
}

// It takes the page's colours, so that it also reads on dark pages.
var pageTemplate = template.Must(template.New("table").Parse(`
{{- define "align"}}{{if .}}text-align:left{{else}}text-align:right;font-variant-numeric:tabular-nums{{end -}}
;padding:3px 10px;white-space:nowrap{{end -}}
<table style="border-collapse:collapse;margin:0.5em 0;font-size:13px">
{{with .Title}}<caption style="caption-side:top;text-align:left;font-weight:bold;padding:2px 0">{{html .}}</caption>
{{end}}<thead><tr>
{{- range $j, $c := .Columns}}<th style="{{template "align" index $.Words $j}};border-bottom:1px solid #888">
{{- html $c.Title}}</th>{{end}}</tr>
</thead>
<tbody>
{{range .Cells}}<tr>{{range $j, $text := .}}<td style="{{template "align" index $.Words $j}}">{{$text}}</td>{{end}}</tr>
{{end}}</tbody>
</table>
{{with .AllNotes}}<p style="font-size:12px;margin:0.3em 0;color:#767676">
{{- range $i, $note := .}}{{if $i}}<br>
{{end}}{{html $note}}{{end}}</p>
{{end}}`))

// HTML returns a table without scripts or classes.
func (t *Table) HTML() (string, error) {
	w, err := t.write(page, "grey")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = pageTemplate.Execute(&b, w)
	return b.String(), err
}

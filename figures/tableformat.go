package figures

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

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
	cells, err := t.cells(func(value, published string, m mark) string {
		value = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(value)
		switch m {
		case markBest:
			value = "**" + value + "**"
		case markClose:
			value = "<u>" + value + "</u>"
		}
		if published != "" {
			value += " (" + published + ")"
		}
		return value
	})
	if err != nil {
		return "", err
	}
	leftAligned := t.leftAligned()
	width := make([]int, len(t.Columns))
	for j, column := range t.Columns {
		width[j] = max(3, utf8.RuneCountInString(column.Title))
		for _, row := range cells {
			width[j] = max(width[j], utf8.RuneCountInString(row[j]))
		}
	}
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", t.Title)
	}
	line := func(row func(j int) string) {
		for j := range t.Columns {
			text := row(j)
			room := strings.Repeat(" ", width[j]-utf8.RuneCountInString(text))
			if leftAligned[j] {
				text += room
			} else {
				text = room + text
			}
			b.WriteString("| " + text + " ")
		}
		b.WriteString("|\n")
	}
	line(func(j int) string { return t.Columns[j].Title })
	for j := range t.Columns {
		if leftAligned[j] {
			b.WriteString("|:" + strings.Repeat("-", width[j]+1))
		} else {
			b.WriteString("|" + strings.Repeat("-", width[j]+1) + ":")
		}
	}
	b.WriteString("|\n")
	for _, row := range cells {
		line(func(j int) string { return row[j] })
	}
	if notes := t.notes("in parentheses"); len(notes) > 0 {
		b.WriteString("\n" + strings.Join(notes, "  \n") + "\n")
	}
	return b.String(), nil
}

// HTML returns a table without scripts or classes; it takes the page's colours, so that it also reads on dark pages.
func (t *Table) HTML() (string, error) {
	cells, err := t.cells(func(value, published string, m mark) string {
		value = html.EscapeString(value)
		switch m {
		case markBest:
			value = "<b>" + value + "</b>"
		case markClose:
			value = "<u>" + value + "</u>"
		}
		if published != "" {
			value += ` <span style="color:#767676">` + html.EscapeString(published) + "</span>"
		}
		return value
	})
	if err != nil {
		return "", err
	}
	leftAligned := t.leftAligned()
	align := func(j int) string {
		if leftAligned[j] {
			return "text-align:left"
		}
		return "text-align:right;font-variant-numeric:tabular-nums"
	}
	var b strings.Builder
	b.WriteString(`<table style="border-collapse:collapse;margin:0.5em 0;font-size:13px">` + "\n")
	if t.Title != "" {
		b.WriteString(`<caption style="caption-side:top;text-align:left;font-weight:bold;padding:2px 0">` + html.EscapeString(t.Title) + "</caption>\n")
	}
	row := func(tag, border string, content func(j int) string) {
		b.WriteString("<tr>")
		for j := range t.Columns {
			fmt.Fprintf(&b, `<%s style="%s;padding:3px 10px;white-space:nowrap%s">%s</%s>`, tag, align(j), border, content(j), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<thead>")
	row("th", ";border-bottom:1px solid #888", func(j int) string { return html.EscapeString(t.Columns[j].Title) })
	b.WriteString("</thead>\n<tbody>\n")
	for _, r := range cells {
		row("td", "", func(j int) string { return r[j] })
	}
	b.WriteString("</tbody>\n</table>\n")
	if notes := t.notes("grey"); len(notes) > 0 {
		for i := range notes {
			notes[i] = html.EscapeString(notes[i])
		}
		b.WriteString(`<p style="font-size:12px;margin:0.3em 0;color:#767676">` + strings.Join(notes, "<br>\n") + "</p>\n")
	}
	return b.String(), nil
}

// leftAligned says which columns hold words.
func (t *Table) leftAligned() []bool {
	words := make([]bool, len(t.Columns))
	for i := range t.Rows {
		for j := range t.Columns {
			words[j] = words[j] || t.at(i, j).kind == textCell
		}
	}
	return words
}

// notes explains the marks that occur, after the table's own notes.
func (t *Table) notes(published string) []string {
	notes := append([]string(nil), t.Notes...)
	var best, near, half, beside, missing bool
	for i, row := range t.marks() {
		for j, m := range row {
			c := t.at(i, j)
			best, near = best || m == markBest, near || m == markClose
			half = half || c.kind == numberCell && finiteOr0(c.half) > 0
			beside, missing = beside || c.published != nil, missing || c.IsMissing()
		}
	}
	interval := t.PlusMinus
	if interval == "" {
		interval = "95% interval"
	}
	var marks []string
	add := func(is bool, text string) {
		if is {
			marks = append(marks, text)
		}
	}
	add(half, "±: "+interval)
	add(best, "bold: best")
	add(near, "underlined: within the best's "+interval)
	add(beside, published+": published")
	add(missing, "–: missing")
	if len(marks) > 0 {
		notes = append(notes, strings.Join(marks, "; "))
	}
	return notes
}

package figures

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/plain"
)

// NoteList is a list of notes for the end of a page, such as the protocol of a study. It is an Item, so a function that
// returns tables and figures can return notes on all of them too.
type NoteList []string

// Notes returns the notes of all items, each once and in order, followed by notes that explain the marks in tables.
// Items without notes, such as figures, add none.
func Notes(items ...Item) NoteList {
	var all NoteList
	var occur [len(legend)]bool
	for _, item := range items {
		var notes []string
		switch item := item.(type) {
		case NoteList:
			notes = item
		case *Table:
			notes = item.Notes
			if l, err := item.layout(); err == nil { // else the table is an error of its own
				for k, here := range l.occur {
					occur[k] = occur[k] || here
				}
			}
		}
		for _, note := range notes {
			if note != "" && !slices.Contains(all, note) {
				all = append(all, note)
			}
		}
	}
	var explained []string
	for k, note := range legend {
		if occur[k] {
			explained = append(explained, note)
		}
	}
	if len(explained) > 0 {
		all = append(all, strings.Join(explained, "; ")+".")
	}
	return all
}

// legend explains the marks of tables.
var legend = [...]string{"±: 95% interval", "in brackets: lowest and highest",
	"bold (in plain text ◄): the best of its column", "paper: what was published", "–: missing",
	"a number with how many it is of behind it: the mean of those that are there, not compared"}

// HTML returns the notes in a collapsed section "Notes", or nothing if there are none.
func (n NoteList) HTML() (string, error) {
	if len(n) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString(`<details style="font-size:13px;margin:0.5em 0"><summary style="cursor:pointer">Notes</summary>` +
		`<ul style="margin:0.3em 0;padding-left:1.5em;max-width:60em">`)
	for _, note := range n {
		fmt.Fprintf(&b, "\n<li>%s</li>", html.EscapeString(note))
	}
	b.WriteString("</ul></details>\n")
	return b.String(), nil
}

// Markdown returns the notes as a list, or nothing if there are none.
func (n NoteList) Markdown() (string, error) {
	if len(n) == 0 {
		return "", nil
	}
	return "Notes:\n\n- " + strings.Join(markdownNotes(n), "\n- ") + "\n", nil
}

// Text returns the notes as a list in lines of at most width columns, 80 for 0, or nothing if there are none.
func (n NoteList) Text(width int) (string, error) {
	width, err := textWidth(width)
	if err != nil || len(n) == 0 {
		return "", err
	}
	b := strings.Builder{}
	b.WriteString("Notes\n")
	for _, note := range n {
		for i, line := range plain.Wrap(note, width-2) {
			b.WriteString([]string{"- ", "  "}[min(i, 1)] + line + "\n")
		}
	}
	return b.String(), nil
}

// markdownNotes keeps stars and angle brackets from being read as markup.
func markdownNotes(notes []string) (escaped []string) {
	replacer := strings.NewReplacer("*", `\*`, "<", "&lt;", "\n", " ")
	for _, note := range notes {
		escaped = append(escaped, replacer.Replace(note))
	}
	return escaped
}

package catalogue

import "strings"

// Prose maps headings to texts that pages show, from an embedded Markdown file. Texts may be formats of package fmt.
type Prose map[string]string

// NewProse parses a file with a heading of level 2 above each text. It joins the lines of a paragraph.
func NewProse(markdown string) Prose {
	p := make(Prose)
	for _, part := range strings.Split("\n"+markdown, "\n## ")[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		var paragraphs []string
		for _, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
			paragraphs = append(paragraphs, strings.ReplaceAll(paragraph, "\n", " "))
		}
		p[heading] = strings.Join(paragraphs, "\n\n")
	}
	return p
}

// Text returns the text below a heading. It panics if there is none, because the file is part of the program.
func (p Prose) Text(heading string) string {
	text, ok := p[heading]
	if !ok {
		panic("no prose with the heading " + heading)
	}
	return text
}

// About returns the question of a study and the text that the studies of its package share.
func (p Prose) About(study, shared string) string {
	return p.Text("about "+study) + "\n\n" + p.Text("about "+shared)
}

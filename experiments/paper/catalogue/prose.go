package catalogue

import "strings"

// Prose has the texts of a package that pages show, by heading, from a file in Markdown that is part of the program.
// Some are formats of package fmt.
type Prose map[string]string

// NewProse reads a file with a heading of level 2 above each text. Lines of a paragraph are joined.
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

// Text is the text below a heading. It panics where there is none: the file is part of the program.
func (p Prose) Text(heading string) string {
	text, ok := p[heading]
	if !ok {
		panic("no prose with the heading " + heading)
	}
	return text
}

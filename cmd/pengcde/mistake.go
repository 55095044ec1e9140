package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// mistake explains an error in a command line, and lists the known names if a name is unknown.
func mistake(err error) string {
	text := err.Error()
	help := "pengcde --help"
	var parsing *kong.ParseError
	if !errors.As(err, &parsing) {
		return fmt.Sprintf("%s; see %s", text, help)
	}
	node := parsing.Context.Model.Node
	if selected := parsing.Context.Selected(); selected != nil {
		node = selected
		help = fmt.Sprintf("pengcde %s --help", selected.Path())
	}
	var commands []string
	for _, child := range node.Children {
		commands = append(commands, child.Name)
	}
	name, unexpected := strings.CutPrefix(text, "unexpected argument ")
	switch {
	case unexpected && len(commands) > 0:
		name, _, _ = strings.Cut(name, ",") // remove kong's own suggestion
		text = fmt.Sprintf("no command %q, %s", name, nearest.Want(name, commands))
	case strings.HasPrefix(text, "expected one of ") && len(commands) > 0:
		text = "no command, want one of " + strings.Join(commands, ", ")
	case strings.HasPrefix(text, "expected ") && strings.Contains(text, "<study>"):
		text = "no study, want one of " + strings.Join(paper.Names(), ", ")
	}
	return fmt.Sprintf("%s; see %s", text, help)
}

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
	node, path := nodeOf(err)
	if node == nil {
		return fmt.Sprintf("%s; see %s", text, help)
	}
	if path != "" {
		help = fmt.Sprintf("pengcde %s --help", path)
	}
	commands := commandsOf(node)
	name, unexpected := strings.CutPrefix(text, "unexpected argument ")
	switch {
	case unexpected && len(commands) > 0:
		name, _, _ = strings.Cut(name, ",") // remove kong's own suggestion
		text = fmt.Sprintf("no command %q, %s", name, nearest.Want(name, commands))
	case strings.HasPrefix(text, "expected ") && strings.Contains(text, "<study>"):
		text = "no study, want one of " + strings.Join(paper.Names(), ", ")
	case strings.HasPrefix(text, "expected ") && strings.Contains(text, "<shell>"):
		text = "no shell, want bash, zsh or fish"
	}
	return fmt.Sprintf("%s; see %s", text, help)
}

// groupOf returns the words of a command line that ends before a command, such as pengcde results.
func groupOf(err error) (words []string, unfinished bool) {
	node, path := nodeOf(err)
	unfinished = node != nil && len(commandsOf(node)) > 0 && strings.HasPrefix(err.Error(), "expected ")
	return strings.Fields(path), unfinished
}

// nodeOf returns the command of the command line with an error, or the program, and its path; nil for other errors.
func nodeOf(err error) (node *kong.Node, path string) {
	var parsing *kong.ParseError
	if !errors.As(err, &parsing) {
		return nil, ""
	}
	if selected := parsing.Context.Selected(); selected != nil {
		return selected, selected.Path()
	}
	return parsing.Context.Model.Node, ""
}

// commandsOf returns the names of the commands below a node, without hidden ones.
func commandsOf(node *kong.Node) (names []string) {
	for _, child := range node.Children {
		if !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}

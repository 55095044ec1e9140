package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/internal/errs"
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
	case negative.MatchString(text):
		text = negative.ReplaceAllString(text, "$2 \"$1\", want a number without a minus sign, such as $2=1")
	case strings.HasPrefix(text, "expected ") && strings.Contains(text, "<study>"):
		text = "no study, want one of " + strings.Join(paper.Names(), ", ")
	case strings.HasPrefix(text, "expected ") && strings.Contains(text, "<shell>"):
		text = "no shell, want bash, zsh or fish"
	}
	return fmt.Sprintf("%s; see %s", text, help)
}

// negative finds kong's answer to a negative number after a flag, with the number and the flag.
var negative = regexp.MustCompile(`^.*expected (?:int|float)\w* value but got "(-[0-9.]+)".* try (--[-a-z]+)=.*$`)

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

// tableFlags are the flags for fields of a table.Config.
var tableFlags = map[string]string{
	"Edges.Path": "--edges", "Nodes.Path": "--nodes",
	"Edges.Time": "--edges-time", "Edges.From": "--source", "Edges.To": "--destination", "Edges.Weight": "--weight",
	"Edges.EmptyWeight": "--empty-weight", "Nodes.Time": "--time", "Nodes.Node": "--node", "Nodes.Targets": "--target",
	"Nodes.Features": "--feature", "Edges.Features": "--edge-feature", "Nodes.Presence": "--presence",
	"Nodes.Aggregate": "--duplicate", "Config.Separator": "--separator", "Config.Decimal": "--decimal",
	"Config.DateFormat": "--date-format", "Config.WithoutEdges": "--without-edges", "Config.Step": "--step",
	"Config.Lags": "--lags", "Config.First": "--first", "Config.Scale": "--scale", "Nodes.Categories": "--category",
	"Config.Calendar": "--calendar", "Config.Horizon": "--horizon",
}

var (
	// fieldOrQuote finds fields with the values after them, and quoted text, which may be of a file.
	fieldOrQuote = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b(?:Edges|Nodes|Config)\.[A-Z]\w*(?:(?:,| or|, or)? "[^"]*")*`)
	// bareValue is a value that a shell needs no quotes for.
	bareValue = regexp.MustCompile(`"([-\w./,]+)"`)
)

// withFlags returns a text of datasets/table with flags in place of the configuration's fields. It says of a field
// without a flag that a program sets it.
func withFlags(text string) string {
	return fieldOrQuote.ReplaceAllStringFunc(text, func(found string) string {
		end := strings.IndexAny(found, ` ,`)
		if end < 0 {
			end = len(found)
		}
		if flag := tableFlags[found[:end]]; flag != "" {
			return flag + bareValue.ReplaceAllString(found[end:], "$1")
		}
		if found[0] != '"' { // no flag sets it
			return found + " (in a Go program)"
		}
		return found
	})
}

// asFlags returns an error of datasets/table that names flags.
func asFlags(err error) error { return errs.New(err, "%s", withFlags(err.Error())) }

// flagNotices passes on notices of datasets/table, with the names of flags.
type flagNotices struct{ to io.Writer }

func (n flagNotices) Write(text []byte) (int, error) {
	_, err := io.WriteString(n.to, withFlags(string(text)))
	return len(text), err
}

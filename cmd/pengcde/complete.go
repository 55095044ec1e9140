package main

import (
	"context"
	_ "embed" // for the scripts
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper"
	"github.com/peng-cde/pengcde-go/forecast"
)

// The scripts ask the program itself, so they know the studies and flags of the version that is installed.
var (
	//go:embed completion/pengcde.bash
	bashScript string
	//go:embed completion/pengcde.zsh
	zshScript string
	//go:embed completion/pengcde.fish
	fishScript string
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script that completes command lines in a shell.
func (c completionCommand) Run(s *streams) error {
	_, err := fmt.Fprint(s.out, map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.Shell])
	return err
}

// completeCommand is what the scripts call.
type completeCommand struct {
	Words []string `arg:"" optional:""`
}

// Run prints what can stand in place of the last word, a line each; nothing where the shell completes files.
func (c completeCommand) Run(ctx context.Context, parsed *kong.Context, s *streams) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	for _, candidate := range complete(ctx, parsed.Model.Node, words) {
		if _, err := fmt.Fprintln(s.out, candidate); err != nil {
			return err
		}
	}
	return nil
}

// position is the place of a word in a command line.
type position struct {
	command *kong.Node
	flag    *kong.Flag // whose value the word is; nil for others
	args    []string   // of the command, before the word
	profile string     // as the words before say
}

// complete returns what can stand in place of the last word.
func complete(ctx context.Context, program *kong.Node, words []string) (fitting []string) {
	last := words[len(words)-1]
	at := locate(program, words[:len(words)-1])
	given := "" // what stays of the last word
	if name, _, found := strings.Cut(last, "="); found && strings.HasPrefix(last, "--") && at.flag == nil {
		at.flag, given = at.named(name), name+"="
	}
	if at.flag != nil && at.flag.Name == "models" {
		given = last[:max(len(given), strings.LastIndex(last, ",")+1)]
	}
	for _, candidate := range at.candidates(ctx, last) {
		if candidate = given + candidate; strings.HasPrefix(candidate, last) {
			fitting = append(fitting, candidate)
		}
	}
	return fitting
}

// locate follows the words before the one to complete. Bash makes a word of the = between a flag and its value.
func locate(program *kong.Node, words []string) (at position) {
	at.command = program
	inside := false // a value with a = of its own, such as of --only
	for _, word := range words {
		switch {
		case inside:
			inside = false
		case word == "=":
			inside = at.flag == nil
		case at.flag != nil:
			if at.flag.Name == "profile" {
				at.profile = word
			}
			at.flag = nil
		case strings.HasPrefix(word, "-"):
			name, value, found := strings.Cut(word, "=")
			if at.flag = at.named(name); at.flag != nil && (found || at.flag.IsBool()) {
				if at.flag.Name == "profile" {
					at.profile = value
				}
				at.flag = nil
			}
		default:
			i := slices.IndexFunc(at.command.Children, func(n *kong.Node) bool { return n.Name == word })
			if i >= 0 {
				at.command = at.command.Children[i]
			} else {
				at.args = append(at.args, word)
			}
		}
	}
	return at
}

func (at position) program() *kong.Node {
	node := at.command
	for node.Parent != nil {
		node = node.Parent
	}
	return node
}

// flags returns the flags that the command takes.
func (at position) flags() (all []*kong.Flag) { return slices.Concat(at.command.AllFlags(true)...) }

// named returns the flag with a name such as --profile; nil if there is none.
func (at position) named(name string) *kong.Flag {
	all := at.flags()
	i := slices.IndexFunc(all, func(f *kong.Flag) bool {
		return name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short)
	})
	if i < 0 {
		return nil
	}
	return all[i]
}

// candidates returns all that can stand at the position; none where it is a file or a number.
func (at position) candidates(ctx context.Context, last string) (all []string) {
	if at.flag != nil {
		return at.values(ctx)
	}
	if strings.HasPrefix(last, "-") {
		for _, f := range at.flags() {
			all = append(all, "--"+f.Name)
		}
		return all
	}
	all = commandsOf(at.command)
	if i := len(at.args); len(at.command.Positional) > 0 {
		arg := at.command.Positional[min(i, len(at.command.Positional)-1)]
		if i >= len(at.command.Positional) && !arg.IsCumulative() {
			return all
		}
		switch {
		case arg.Enum != "":
			all = append(all, arg.EnumSlice()...)
		case arg.Name == "study":
			all = append(all, paper.Names()...)
		case arg.Name == "row":
			all = append(all, models(ctx, affinityStudy, experiments.Profile(at.profile))...)
		case arg.Name == "command":
			return locate(at.program(), at.args).candidates(ctx, "")
		case arg.Name == "model":
			citable, _ := paper.Citable(ctx) // without them, files are offered
			all = append(all, citable...)
		}
	}
	return all
}

// values returns the values of the flag.
func (at position) values(ctx context.Context) []string {
	switch {
	case at.flag.Enum != "":
		return at.flag.EnumSlice()
	case at.flag.Name == "profile":
		var names []string
		for _, p := range experiments.Profiles() {
			names = append(names, string(p))
		}
		return names
	case at.flag.Name == "model":
		return forecast.Models()
	case at.flag.Name == "models" && len(at.args) > 0:
		return models(ctx, at.args[0], experiments.Profile(at.profile))
	}
	return nil
}

// models returns the models of a study; in all profiles if none is named.
func models(ctx context.Context, name string, profile experiments.Profile) (ids []string) {
	study, err := paper.ByName(name)
	if err != nil {
		return nil
	}
	for _, p := range experiments.Profiles() {
		if profile != "" && profile != p {
			continue
		}
		runs, err := study.Plan(ctx, experiments.Scope{Profile: p, Seeds: []uint64{0}})
		if err != nil {
			return nil
		}
		for _, run := range runs {
			if !slices.Contains(ids, run.Model.ID) {
				ids = append(ids, run.Model.ID)
			}
		}
	}
	return ids
}

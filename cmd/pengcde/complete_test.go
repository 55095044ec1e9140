package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Words are completed by commands, flags, values of flags, studies and models.
func TestComplete(t *testing.T) {
	folder := t.TempDir()
	for line, want := range map[string]string{
		"li":                                      "list",
		"results ":                                "ship merge export leaderboard page",
		"help results ":                           "ship merge export leaderboard page",
		"help sh":                                 "show",
		"completion ":                             "bash zsh fish",
		"show t":                                  "twitter-tennis table1 table-wealth table1-as-published",
		"results ship table1 ep":                  "epidemics",
		"run --jobs 2 --dry-run ep":               "epidemics",
		"run -j 2 ep":                             "epidemics",
		"run --only country = italy ep":           "epidemics",
		"run epidemics ":                          "",
		"run epidemics --prof":                    "--profile",
		"--vers":                                  "--version",
		"run epidemics --profile m":               "medium",
		"run epidemics --profile=m":               "--profile=medium",
		"run epidemics --profile = m":             "medium", // as bash parts it
		"show table1 --format ":                   "text markdown json",
		"run table1 --models peng-":               "peng-fast",
		"run table1 --models peng15,peng":         "peng15,peng peng15,peng15 peng15,peng-fast",
		"run table1 --models=peng-":               "--models=peng-fast",
		"run table1 --models=peng15,peng-":        "--models=peng15,peng-fast",
		"run table1 --profile quick --models rec": "recommended",
		"run table1 --profile=quick --models dc":  "",
		"run nothing --models p":                  "",
		"results leaderboard tgnv":                "tgnv2",
		"cite recomm":                             "recommended",
		"fit --edges ":                            "",
		"fit --model a":                           "auto affine adjacency",
		"dance ":                                  "list",
		"com":                                     "completion",
	} {
		got := strings.Fields(output(t, folder, append([]string{"complete", "--"}, strings.Split(line, " ")...)...))
		if line == "dance " { // an unknown command
			got = got[:1]
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q is completed by %q, want %q", line, got, want)
		}
	}
}

// The scripts are of their shells, and bash completes by its script.
func TestCompletion(t *testing.T) {
	folder := t.TempDir()
	for shell, want := range map[string]string{"bash": "complete -o default -F", "zsh": "compdef",
		"fish": "complete -c pengcde"} {
		script := output(t, folder, "completion", shell)
		if !strings.Contains(script, want) {
			t.Errorf("%s: no %q in\n%s", shell, want, script)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		check := exec.Command(path, "-n")
		check.Stdin = strings.NewReader(script)
		if said, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, said)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	c := command(folder)
	c.Path, c.Args = bash, []string{"bash", "-c", output(t, folder, "completion", "bash") + `
COMP_WORDS=("$0" run table1 --profile = "") COMP_CWORD=5
_pengcde
echo "${COMPREPLY[*]}"
COMP_WORDS=("$0" run table1 --profile "=") COMP_CWORD=4
_pengcde
echo "${COMPREPLY[*]}"`, c.Args[0]}
	const profiles = "quick medium full\n"
	if said, err := c.CombinedOutput(); err != nil || string(said) != profiles+profiles {
		t.Errorf("%v: bash completes by %q", err, said)
	}
}

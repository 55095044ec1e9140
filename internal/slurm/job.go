package slurm

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/starter"
)

// Job is an array job whose tasks all run the same command.
type Job struct {
	// Name is the job's name in squeue.
	Name string
	// Command has the program and arguments of each task, and Folder is its working directory. Log is the path of its
	// output, to which the number of the task and .log are added.
	Command     []string
	Folder, Log string
	// Tasks is the number of tasks.
	Tasks int
	// Partition, GPUs, Time and Memory apply to each task, in sbatch's format; "" means the cluster's defaults, and no
	// GPU. CPUs is the number of cores of a task; 0 means the cluster's default.
	Partition, GPUs, Time, Memory string
	CPUs                          int
	// Options are further options of sbatch, such as "--account=physics".
	Options []string
}

// Slurm warns a task by a signal this long before its time limit, or up to a minute earlier; a task's limit must be
// longer.
const (
	warning   = 2 * time.Minute
	leastTime = 10 * time.Minute
)

var gpus = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*:)?[1-9][0-9]*$`)

// check returns an error for settings that sbatch would accept but this package cannot use, or that sbatch would refuse
// with an unclear message.
func (j Job) check() error {
	if j.Tasks < 1 {
		return fmt.Errorf("slurm: an array of %d tasks, want 1 or more", j.Tasks)
	}
	if j.CPUs < 0 {
		return fmt.Errorf("slurm: %d CPUs for a task, want 1 or more, or 0 for the cluster's default", j.CPUs)
	}
	if j.GPUs != "" && !gpus.MatchString(j.GPUs) {
		return fmt.Errorf("slurm: %q GPUs for a task, want a number such as 1, or a type and a number such as a100:1", j.GPUs)
	}
	if limit, err := parseTime(j.Time); err != nil {
		return err
	} else if limit < leastTime {
		return fmt.Errorf("slurm: a time limit of %v, want %v or more: a task ends some %v before it, to store what it has",
			limit, leastTime, warning)
	}
	for _, option := range j.Options {
		if err := checkOption(option); err != nil {
			return err
		}
	}
	lines := slices.Concat([]string{j.Name, j.Folder, j.Log, j.Partition, j.Memory}, j.Command, j.Options)
	for _, line := range lines {
		if strings.ContainsAny(line, "\n\r\x00") {
			return fmt.Errorf("slurm: %q has more than one line, want one", line)
		}
	}
	return nil
}

// own has the options of sbatch that the script sets itself, short and long, with the flag of pengcde submit that sets
// them; "" if none does.
var own = map[string]string{"--array": "--array-size", "-a": "--array-size", "--signal": "", "--requeue": "",
	"--no-requeue": "", "--job-name": "", "-J": "", "--output": "", "-o": "", "--open-mode": "", "--chdir": "", "-D": "",
	"--ntasks": "", "-n": "", "--nodes": "", "-N": "", "--time": "--time", "-t": "--time"}

// flags are the short options of sbatch that take no value.
const flags = "HOQVWhsv"

// bundled returns the short options of a word: more may follow a flag, and any other is followed by its value, as in
// -Ha0-3.
func bundled(word string) (names []string) {
	for _, letter := range word[1:] {
		names = append(names, "-"+string(letter))
		if !strings.ContainsRune(flags, letter) {
			break
		}
	}
	return names
}

// checkOption returns an error for a further option that contradicts the script or is not one option.
func checkOption(option string) error {
	name, _, equals := strings.Cut(option, "=")
	if at := strings.IndexAny(name, " \t"); at >= 0 {
		name, equals = name[:at], false
	}
	if len(name) < 2 || name[0] != '-' {
		return fmt.Errorf("slurm: %q, want an option of sbatch, such as --account=NAME", option)
	}
	names := []string{name}
	if name[1] != '-' {
		names = bundled(name)
	}
	for _, full := range slices.Sorted(maps.Keys(own)) { // sbatch takes the beginning of a long option for it
		at := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(full, name) })
		if at < 0 {
			continue
		}
		short, advice := "", "leave it out"
		switch {
		case at > 0:
			short = " with " + full + ","
		case full != names[at]:
			short = " short for " + full + ","
		}
		if own[full] != "" {
			advice += " and use " + own[full]
		}
		return fmt.Errorf("slurm: option %q of sbatch,%s which the script of the job sets itself: %s", option, short, advice)
	}
	if fields := strings.Fields(option); !equals && (len(fields) > 2 || len(fields) == 2 && fields[1][0] == '-') {
		return fmt.Errorf("slurm: %q, want one option of sbatch, with = before a value with blanks, such as "+
			"--comment=two words", option)
	}
	return nil
}

// quoted returns an option with quotes around a value that has blanks, unless it has some.
func quoted(option string) string {
	name, value, equals := strings.Cut(option, "=")
	if !equals || !strings.ContainsAny(value, " \t") || strings.ContainsAny(name, " \t") ||
		strings.ContainsAny(value[:1], `"'`) {
		return option
	}
	return name + "=" + starter.Quote(value)
}

// Script returns the job's script. It requests to be requeued after a node fails, and a signal before the time limit,
// see [Context]. The program replaces the shell, so that the signal reaches it.
func (j Job) Script() (string, error) {
	if err := j.check(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	option := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "#SBATCH --%s=%s\n", name, starter.Quote(value))
		}
	}
	option("job-name", j.Name)
	option("partition", j.Partition)
	fmt.Fprintf(&b, "#SBATCH --array=0-%d\n", j.Tasks-1)
	option("nodes", "1")
	option("ntasks", "1")
	if j.CPUs > 0 {
		option("cpus-per-task", strconv.Itoa(j.CPUs))
	}
	option("gpus", j.GPUs)
	option("mem", j.Memory)
	option("time", j.Time)
	fmt.Fprintf(&b, "#SBATCH --requeue\n#SBATCH --signal=B:USR1@%.0f\n#SBATCH --open-mode=append\n", warning.Seconds())
	option("output", strings.ReplaceAll(j.Log, "%", "%%")+"-%a.log")
	option("chdir", j.Folder)
	for _, more := range j.Options {
		fmt.Fprintf(&b, "#SBATCH %s\n", quoted(more))
	}
	b.WriteString("exec")
	for _, argument := range j.Command {
		b.WriteString(" " + starter.Quote(argument))
	}
	b.WriteString("\n")
	return b.String(), nil
}

// Submit submits a file with a job's script to Slurm and returns the number of the job. If Slurm refuses it, the error
// is an [*Error].
func Submit(ctx context.Context, file string) (job string, err error) {
	printed, err := call(ctx, "sbatch", "--parsable", file)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(printed), ";") // what follows is the name of the cluster
	return job, nil
}

var slurmTime = regexp.MustCompile(`^(?:(\d{1,5})-)?(\d{1,6})(?::(\d{1,6}))?(?::(\d{1,6}))?$`)

// parseTime parses a time limit in Slurm's format; "" and "UNLIMITED" give the largest duration.
func parseTime(text string) (time.Duration, error) {
	switch strings.ToUpper(text) {
	case "", "UNLIMITED", "INFINITE":
		return 1<<63 - 1, nil
	}
	m := slurmTime.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("slurm: time limit %q, want minutes, hours:minutes:seconds or days-hours, such as 90, 4:00:00 "+
			"or 2-0", text)
	}
	units := []time.Duration{24 * time.Hour, time.Minute, time.Second, 0}
	if m[1] != "" || m[4] != "" {
		units = []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}
	}
	limit := time.Duration(0)
	for i, unit := range units {
		count, _ := strconv.Atoi(m[i+1]) // none where there are no digits
		limit += time.Duration(count) * unit
	}
	return limit, nil
}

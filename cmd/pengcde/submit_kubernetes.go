package main

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/kubernetes"
)

// kubernetesFlags select the manifest of a job of Kubernetes in place of a job of Slurm.
type kubernetesFlags struct {
	Kubernetes bool   `help:"Print the manifest of an Indexed Job for kubectl create, and submit nothing to Slurm."`
	Image      string `help:"With --kubernetes: the container image, see Containerfile." placeholder:"NAME"`
	Claim      string `help:"With --kubernetes: the volume claim for results, ReadWriteMany." placeholder:"NAME"`
}

// checkKubernetes returns an error for flags that do not go together.
func (c *submitCommand) checkKubernetes() error {
	wrong := func(format string, args ...any) error {
		return errs.New(experiments.ErrInput, "submit: %s", fmt.Sprintf(format, args...))
	}
	if !c.Kubernetes {
		if c.Image != "" || c.Claim != "" {
			return wrong("--image and --claim are for --kubernetes: add it, or leave them out")
		}
		return nil
	}
	if c.Partition != "" || c.Time != "" || c.Sbatch != nil {
		return wrong("--partition, --time and --sbatch are for Slurm, leave them out with --kubernetes; node selectors and " +
			"deadlines can be written into the manifest")
	}
	if c.CPUs < 0 {
		return wrong("--cpus %d, want 1 or more", c.CPUs)
	}
	if c.Data != nil {
		return wrong("--data %q with --kubernetes: pods see no files of this machine; leave it out", c.Data)
	}
	if c.Claim == "" || c.Image == "" {
		return wrong("--kubernetes without --claim or --image: name a persistent volume claim that all pods can write to " +
			"(ReadWriteMany), as they agree through its files on who makes which run, and an image made by Containerfile")
	}
	return nil
}

// spare is the ratio of the memory that a pod asks for to the expected memory of its processes. Share needs some above
// it to let them run side by side, and the process that starts them takes a little.
const spare = 1.25

// usualMemory is the memory of a pod, in bytes, if the models' memory is unknown.
const usualMemory = 4 << 30

// cpus returns the CPUs of a pod, and processes the number of its processes that make runs.
func (c *submitCommand) cpus() int      { return cmp.Or(c.CPUs, max(1, c.Jobs)) }
func (c *submitCommand) processes() int { return cmp.Or(c.Jobs, c.cpus()) }

// manifest prints the manifest of a job whose pods make the missing runs, if there are any. bytes is the expected
// memory of a pod's processes, 0 if unknown.
func (c *submitCommand) manifest(s *streams, record submission, cost string, bytes int64,
	e experiments.Estimate) error {
	gpus, err := strconv.Atoi(cmp.Or(c.GPUs, "0"))
	if err != nil {
		return errs.New(experiments.ErrInput, "submit: %q GPUs with --kubernetes, want a number such as 1; a node "+
			"selector in the manifest chooses a type", c.GPUs)
	}
	memory := c.Memory
	if memory == "" {
		const mebibyte = 1 << 20
		memory = fmt.Sprintf("%dMi", int64(spare*float64(cmp.Or(bytes, usualMemory)))/mebibyte+1)
	}
	content, err := kubernetes.Job{Name: record.Name, Image: c.Image, Command: append([]string{"pengcde"},
		c.runArguments()...), Env: map[string]string{experiments.ResultsEnv: kubernetes.Results}, Pods: record.Tasks,
		Claim: c.Claim, CPUs: c.cpus(), GPUs: gpus, Memory: memory, Final: []int{exitUsage, exitRuns}}.Manifest()
	if err != nil {
		return errs.In("submit", err, experiments.ErrInput)
	}
	if e.Missing > 0 {
		cost += fmt.Sprintf(" This counts runs in the results folder of this machine; pods also find those in the claim %s. "+
			"They make no run twice if all their nodes write to one volume (ReadWriteMany), which cannot be seen from here. "+
			"A pod gets %s of memory.", c.Claim, memory)
	}
	fmt.Fprint(s.err, wrapped(cost, usualWidth))
	if e.Missing == 0 && !c.DryRun {
		return nil
	}
	if _, err := s.out.Write(content); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.err, "\n  kubectl create -f FILE      # FILE has the manifest\n"+
		"  kubectl get pods -l job-name=%s\n  kubectl delete job %[1]s\n", record.Name)
	return err
}

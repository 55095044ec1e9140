// Package kubernetes writes the manifest of an Indexed Job, whose pods share the runs of a study, and tells a process
// which pod of such a job it runs in. It needs no cluster. Start with [Job.Manifest].
//
// Reference: https://kubernetes.io/docs/concepts/workloads/controllers/job, for Kubernetes 1.29 or newer.
package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Results is the folder at which a pod sees the claim.
const Results = "/results"

// Job is an Indexed Job whose pods all run the same command, on one volume.
type Job struct {
	// Name is the name of the job in its namespace, a DNS label, see [longestName].
	Name string
	// Image is the container image, and Command the program and its arguments in it. Env has further environment
	// variables.
	Image   string
	Command []string
	Env     map[string]string
	// Pods is the number of pods. All may run at once.
	Pods int
	// Claim names the persistent volume claim for results, which must have access mode ReadWriteMany if pods are to run
	// on several nodes.
	Claim string
	// CPUs and GPUs are the processors of a pod, Memory its memory as a quantity of Kubernetes, such as 2Gi. GPUs may
	// be 0.
	CPUs, GPUs int
	Memory     string
	// Final has the exit codes of the command after which no second start helps, in ascending order.
	Final []int
}

const (
	// retries is the number of times that a pod with the same index is started again after a failure.
	retries = 3
	// grace is the number of seconds in which a pod has to store a checkpoint after SIGTERM, longer than everything
	// except compiling a program, as the warning that a task of Slurm gets.
	grace = 120
	// group may write to the volume; Containerfile makes images whose user is in it.
	group = 1000
	// longestName leaves room for a hyphen and the index: both together name a pod's host, a DNS label of at most 63.
	longestName = 56
)

var (
	label    = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
	object   = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	quantity = regexp.MustCompile(`^[1-9][0-9]*([kMGT]|[KMGT]i)?$`)
)

// check returns an error for settings that Kubernetes would refuse with an unclear message or take in silence.
func (j Job) check() error {
	switch {
	case len(j.Name) > longestName || !label.MatchString(j.Name):
		return fmt.Errorf("kubernetes: a job of the name %q, want a-z, 0-9 and hyphens, %d of them at most", j.Name,
			longestName)
	case j.Image == "" || strings.ContainsAny(j.Image, " \t\r\n"):
		return fmt.Errorf("kubernetes: the image %q, want a name such as registry.example.org/pengcde:1", j.Image)
	case !object.MatchString(j.Claim):
		return fmt.Errorf("kubernetes: the claim %q, want the name of a persistent volume claim in the job's namespace, as "+
			"kubectl get pvc lists them", j.Claim)
	case j.Pods < 1:
		return fmt.Errorf("kubernetes: %d pods, want 1 or more", j.Pods)
	case j.CPUs < 1 || j.GPUs < 0:
		return fmt.Errorf("kubernetes: %d CPUs and %d GPUs for a pod, want 1 or more and 0 or more", j.CPUs, j.GPUs)
	case !quantity.MatchString(j.Memory):
		return fmt.Errorf("kubernetes: %q memory for a pod, want a quantity of Kubernetes such as 2Gi or 500M", j.Memory)
	}
	return nil
}

// Manifest returns the job's manifest in JSON, for kubectl create. A pod that fails is replaced, unless it ends with a
// code of Final; evictions, preemptions and drained nodes do not count as failures. The replacement starts after the
// other pod has ended.
func (j Job) Manifest() ([]byte, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	const name, volumeName = "pengcde", "results"
	labels := map[string]string{"app.kubernetes.io/name": name}
	content, err := json.MarshalIndent(manifest{
		APIVersion: "batch/v1", Kind: "Job", Metadata: metadata{Name: j.Name, Labels: labels},
		Spec: jobSpec{CompletionMode: "Indexed", Completions: j.Pods, Parallelism: j.Pods, BackoffLimitPerIndex: retries,
			PodReplacementPolicy: "Failed",
			PodFailurePolicy: rules{[]rule{
				{Action: "Ignore", OnPodConditions: []podCondition{{"DisruptionTarget", "True"}}},
				{Action: "FailIndex", OnExitCodes: &exitCodes{"In", j.Final}}}},
			Template: podTemplate{Metadata: metadata{Labels: labels}, Spec: podSpec{
				RestartPolicy: "Never", TerminationGracePeriodSeconds: grace,
				SecurityContext: podSecurity{RunAsNonRoot: true, FSGroup: group, FSGroupChangePolicy: "OnRootMismatch",
					SeccompProfile: seccomp{"RuntimeDefault"}},
				Containers: []container{{Name: name, Image: j.Image, Command: j.Command, Env: j.variables(),
					Resources:       j.resources(),
					SecurityContext: containerSecurity{Capabilities: capabilities{[]string{"ALL"}}},
					VolumeMounts:    []mount{{volumeName, Results}}}},
				Volumes: []volume{{volumeName, claim{j.Claim}}}}},
		}}, "", "  ")
	return append(content, '\n'), err
}

// variables returns the environment of a pod.
func (j Job) variables() (all []variable) {
	for _, name := range slices.Sorted(maps.Keys(j.Env)) {
		all = append(all, variable{Name: name, Value: j.Env[name]})
	}
	for _, v := range []struct{ name, field string }{
		{podEnv, "metadata.name"}, {nodeEnv, "spec.nodeName"}, {jobEnv, "metadata.labels['batch.kubernetes.io/job-name']"},
	} {
		all = append(all, variable{Name: v.name, ValueFrom: &source{fieldRef{v.field}}})
	}
	return all
}

// resources returns limits that equal the requests, so that the program sees by its limits what it may use.
func (j Job) resources() resources {
	all := map[string]string{"cpu": strconv.Itoa(j.CPUs), "memory": j.Memory}
	if j.GPUs > 0 {
		all["nvidia.com/gpu"] = strconv.Itoa(j.GPUs)
	}
	return resources{Requests: all, Limits: all}
}

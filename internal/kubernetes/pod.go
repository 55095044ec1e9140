package kubernetes

import "os"

// Environment variables of a pod. Kubernetes sets the first in pods of an Indexed Job, a manifest of [Job] the others.
const (
	indexEnv = "JOB_COMPLETION_INDEX"
	podEnv   = "PENGCDE_POD"
	nodeEnv  = "PENGCDE_NODE"
	jobEnv   = "PENGCDE_JOB"
)

// Pod describes a pod of an Indexed Job by Kubernetes' names.
type Pod struct {
	// Name is unique in the namespace. The pod that replaces another has a new name, but the host name of the other.
	Name string
	// Node is the machine, Job the job's name, and Index the pod's number in it.
	Node, Job, Index string
}

// Current describes the pod that this process runs in. Outside a job of a [Job] all or some fields are "".
func Current() Pod {
	return Pod{Name: os.Getenv(podEnv), Node: os.Getenv(nodeEnv), Job: os.Getenv(jobEnv), Index: os.Getenv(indexEnv)}
}

// Inside reports whether this process runs in a pod of an Indexed Job.
func Inside() bool { return Current().Index != "" }

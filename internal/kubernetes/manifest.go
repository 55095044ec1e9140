package kubernetes

// These types are the parts of a Job of batch/v1 that a [Job] sets. They have the names of Kubernetes' API reference.
type (
	manifest struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
		Spec       jobSpec  `json:"spec"`
	}
	metadata struct {
		Name   string            `json:"name,omitempty"`
		Labels map[string]string `json:"labels,omitempty"`
	}
	jobSpec struct {
		CompletionMode       string      `json:"completionMode"`
		Completions          int         `json:"completions"`
		Parallelism          int         `json:"parallelism"`
		BackoffLimitPerIndex int         `json:"backoffLimitPerIndex"`
		PodReplacementPolicy string      `json:"podReplacementPolicy"`
		PodFailurePolicy     rules       `json:"podFailurePolicy"`
		Template             podTemplate `json:"template"`
	}
	rules struct {
		Rules []rule `json:"rules"`
	}
	rule struct {
		Action          string         `json:"action"`
		OnExitCodes     *exitCodes     `json:"onExitCodes,omitempty"`
		OnPodConditions []podCondition `json:"onPodConditions,omitempty"`
	}
	exitCodes struct {
		Operator string `json:"operator"`
		Values   []int  `json:"values"`
	}
	podCondition struct {
		Type   string `json:"type"`
		Status string `json:"status"`
	}
	podTemplate struct {
		Metadata metadata `json:"metadata"`
		Spec     podSpec  `json:"spec"`
	}
	podSpec struct {
		RestartPolicy                 string      `json:"restartPolicy"`
		TerminationGracePeriodSeconds int         `json:"terminationGracePeriodSeconds"`
		AutomountServiceAccountToken  bool        `json:"automountServiceAccountToken"`
		SecurityContext               podSecurity `json:"securityContext"`
		Containers                    []container `json:"containers"`
		Volumes                       []volume    `json:"volumes"`
	}
	podSecurity struct {
		RunAsNonRoot        bool    `json:"runAsNonRoot"`
		FSGroup             int     `json:"fsGroup"`
		FSGroupChangePolicy string  `json:"fsGroupChangePolicy"`
		SeccompProfile      seccomp `json:"seccompProfile"`
	}
	seccomp struct {
		Type string `json:"type"`
	}
	container struct {
		Name            string            `json:"name"`
		Image           string            `json:"image"`
		Command         []string          `json:"command"`
		Env             []variable        `json:"env"`
		Resources       resources         `json:"resources"`
		SecurityContext containerSecurity `json:"securityContext"`
		VolumeMounts    []mount           `json:"volumeMounts"`
	}
	variable struct {
		Name      string  `json:"name"`
		Value     string  `json:"value,omitempty"`
		ValueFrom *source `json:"valueFrom,omitempty"`
	}
	source struct {
		FieldRef fieldRef `json:"fieldRef"`
	}
	fieldRef struct {
		FieldPath string `json:"fieldPath"`
	}
	resources struct {
		Requests map[string]string `json:"requests"`
		Limits   map[string]string `json:"limits"`
	}
	containerSecurity struct {
		AllowPrivilegeEscalation bool         `json:"allowPrivilegeEscalation"`
		Capabilities             capabilities `json:"capabilities"`
	}
	capabilities struct {
		Drop []string `json:"drop"`
	}
	mount struct {
		Name      string `json:"name"`
		MountPath string `json:"mountPath"`
	}
	volume struct {
		Name                  string `json:"name"`
		PersistentVolumeClaim claim  `json:"persistentVolumeClaim"`
	}
	claim struct {
		ClaimName string `json:"claimName"`
	}
)

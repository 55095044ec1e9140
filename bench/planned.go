package bench

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/figures"
	"github.com/peng-cde/pengcde-go/pengcde"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
)

// Planned is what [pengcde.Model.Plan] foresees of a race's training; 0 where nothing was planned.
type Planned struct {
	// PlannedBytes are those on the device and on the host, both of which are resident memory on a CPU. BaseBytes are resident
	// before anything is compiled: the process with its backend and data. So PlannedBytes are to be compared with
	// Row.OursBytes less BaseBytes, which has the compiler and what it made besides, and what Go has not collected yet.
	PlannedBytes int64 `json:"planned_bytes,omitempty"`
	BaseBytes    int64 `json:"base_bytes,omitempty"`
	// PlannedEvaluations are forward, in all samples, if each accepts as many steps as that with the most does and rejects
	// none.
	PlannedEvaluations int `json:"planned_evaluations,omitempty"`
}

// plan plans the training of a case with the steps that a solve took.
func (c *Case) plan(model *pengcde.Model, steps []ode.Stats) (p Planned, err error) {
	most := 0
	for _, s := range steps {
		most = max(most, s.Accepted)
	}
	plan, err := model.Plan(c.windows(), c.Batch, most)
	if err != nil {
		return p, err
	}
	return Planned{PlannedBytes: plan.DeviceBytes + plan.HostBytes, PlannedEvaluations: sum(plan.Solve.Evaluations)}, nil
}

func plannedMemory(r Row) figures.Cell {
	if r.PlannedBytes == 0 || r.OursBytes == 0 {
		return figures.Missing()
	}
	return figures.Text(fmt.Sprintf("%.0f / %.0f", mebi(r.PlannedBytes), mebi(r.OursBytes-r.BaseBytes)))
}

func plannedEvaluations(r Row) figures.Cell {
	if r.PlannedEvaluations == 0 {
		return figures.Missing()
	}
	return figures.Text(fmt.Sprintf("%d / %d", r.PlannedEvaluations, r.Evaluations))
}

package pengcde

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/meter"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/ode"
	"github.com/peng-cde/pengcde-go/pengcde/train"
	"github.com/peng-cde/pengcde-go/xla"
)

// The memory that training holds on the device, counted buffer by buffer, agrees with the plan, except for memory that
// compiled programs allocate internally, which is not visible: to a tenth with constant steps, and at most the plan
// with adaptive ones.
func TestPlanAgainstTraining(t *testing.T) {
	plain, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plain.Close)
	const n = 24
	series := []*dyngraph.Series{pulses(t, n, 3), pulses(t, n, 5), pulses(t, n, 9)}
	for name, change := range map[string]func(*Config){
		"constant":    func(c *Config) { c.Step, c.Adaptive = 0.1, nil },
		"checkpoints": func(c *Config) { c.Step, c.Adaptive, c.Memory = 0.1, nil, ode.Memory{Checkpoints: 4} },
		"on the host": func(c *Config) { c.Step, c.Adaptive, c.Memory = 0.1, nil, ode.Memory{Host: true} },
		"adaptive":    func(*Config) {},
		"pre-mult":    func(c *Config) { c.Field, c.Step, c.Adaptive = field.PreMult{}, 0.1, nil },
	} {
		t.Run(name, func(t *testing.T) {
			m := &meter.Backend{Backend: plain.Compute}
			config := trajectoryConfig(n)
			change(&config)
			model, err := New(xla.Wrap(m), config)
			if err != nil {
				t.Fatal(err)
			}
			defer model.Close()
			const steps = 60 // more than are accepted
			plan, err := model.Plan(wholes(series...), 2, steps)
			if err != nil {
				t.Fatal(err)
			}
			if m.Live != 0 {
				t.Errorf("planning left %d bytes on the device", m.Live)
			}
			if _, err := model.Fit(context.Background(), wholes(series...), nil, train.Config{Epochs: 1, BatchSize: 2,
				EvaluateEvery: -1}); err != nil {
				t.Fatal(err)
			}
			planned := plan.DeviceBytes - plan.Temporary
			if m.Peak > planned {
				t.Errorf("held %d bytes, planned %d", m.Peak, planned)
			}
			if plan.Solve.Exact && 10*m.Peak < 9*planned {
				t.Errorf("held %d bytes, planned %d, more than a tenth too many", m.Peak, planned)
			}
			if plan.Solve.Exact != (config.Adaptive == nil) || plan.Temporary <= 0 {
				t.Errorf("exact %t, temporary %d", plan.Solve.Exact, plan.Temporary)
			}
			text := plan.String()
			if strings.Contains(text, " steps accepted ") == plan.Solve.Exact || !strings.Contains(text,
				"MiB on the device") && !strings.Contains(text, "KiB on the device") {
				t.Errorf("%q of a plan with exact %t", text, plan.Solve.Exact)
			}
		})
	}
}

// The plan takes the given number of adaptive steps, or MaxSteps for 0; each further step keeps one more state.
func TestPlanOfAdaptiveSteps(t *testing.T) {
	const n, batch = 12, 2
	config := trajectoryConfig(n)
	config.MaxSteps = 30
	model, series := trajectoryModel(t, config), []*dyngraph.Series{pulses(t, n, 3), pulses(t, n, 5)}
	plans := make(map[int]*Plan)
	for _, steps := range []int{0, 10, 20, 50} {
		plan, err := model.Plan(wholes(series...), batch, steps)
		if err != nil {
			t.Fatal(err)
		}
		plans[steps] = plan
		want := steps
		if steps == 0 {
			want = config.MaxSteps
		}
		for b, got := range plan.Solve.Steps {
			if got != want || plan.Solve.Evaluations[b] != 2+want*plan.Solve.StepEvaluations {
				t.Errorf("steps %d: sample %d has %d with %d evaluations", steps, b, got, plan.Solve.Evaluations[b])
			}
		}
	}
	if got, want := plans[20].DeviceBytes-plans[10].DeviceBytes, 10*plans[10].Solve.StateBytes; got != want {
		t.Errorf("10 steps more take %d bytes more, want %d", got, want)
	}
}

// Series of other shapes are planned in any order: one with many snapshots, one with many save times.
func TestPlanInAnyOrder(t *testing.T) {
	const n, steps = 40, 10
	wide, long := pulses(t, n, 3), pulses(t, n, 3)
	for i := range 300 {
		end := long.Times[len(long.Times)-1]
		long.Times = append(long.Times, end+0.01)
		long.Weights = append(long.Weights, long.Weights[0])
		long.Features, long.Targets = append(long.Features, long.Features[0]), append(long.Targets, long.Targets[0])
		if i%4 == 0 {
			weights := slices.Clone(wide.Weights[0])
			weights[0] += float64(i + 1)
			wide.Times = append(wide.Times, wide.Times[len(wide.Times)-1]+0.01)
			wide.Weights = append(wide.Weights, weights)
			wide.Features, wide.Targets = append(wide.Features, wide.Features[0]), append(wide.Targets, wide.Targets[0])
		}
	}
	model := trajectoryModel(t, trajectoryConfig(n))
	plan := func(series ...*dyngraph.Series) *Plan {
		p, err := model.Plan(wholes(series...), 1, steps)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	alone := map[string]*Plan{"wide": plan(wide), "long": plan(long)}
	one, other := plan(wide, long), plan(long, wide)
	if one.String() != other.String() || one.DeviceBytes != other.DeviceBytes || one.HostBytes != other.HostBytes {
		t.Errorf("wide before long: %s; after: %s", one, other)
	}
	for name, p := range alone {
		if want := p.DeviceBytes - p.Data + one.Data; one.DeviceBytes < want || one.HostBytes < p.HostBytes {
			t.Errorf("%d bytes on the device and %d on the host, want at least the %d and %d of the %s series with all data",
				one.DeviceBytes, one.HostBytes, want, p.HostBytes, name)
		}
	}
}

// A forecast and a loss without its gradient keep no intermediate states: ten times the steps need no more memory.
func TestForecastsKeepNothing(t *testing.T) {
	plain, err := xla.Open(xla.Config{Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plain.Close)
	ctx, window, series := context.Background(), ringSplit(t).Train[0], ring(t)
	for what, call := range map[string]func(*Model) error{
		"Trajectory": func(m *Model) error { _, err := m.Predict(ctx, series.Whole(), nil); return err },
		"Forecast":   func(m *Model) error { _, err := m.Predict(ctx, window, nil); return err },
		"loss": func(m *Model) error {
			batches, err := batches(m.backend, 1, source{m, []dyngraph.Window{window}, nil})
			if err != nil {
				return err
			}
			defer batches[0].free()
			if target := batches[0].targets[0]; target.HasLocal() || !target.IsOnAnyDevice() {
				t.Errorf("the targets of a batch are on the host %t, on the device %t", target.HasLocal(), target.IsOnAnyDevice())
			}
			_, err = lossOf(ctx, m.network, m.params, batches[0])
			return err
		},
	} {
		var held []int64
		for _, step := range []float64{0.1, 0.01} {
			count := &meter.Backend{Backend: plain.Compute}
			if err := call(ringModelOn(t, xla.Wrap(count), func(c *Config) { c.Step = step })); err != nil {
				t.Fatal(err)
			}
			held = append(held, count.Peak)
		}
		if held[0] == 0 || held[0] != held[1] {
			t.Errorf("%s holds %d bytes, with ten times the steps %d", what, held[0], held[1])
		}
	}
}

// Windows are planned as well, in batches that all stay on the device; the largest counts for the rest.
func TestPlanOfWindows(t *testing.T) {
	windows, model := ringSplit(t).Train, ringModel(t, nil)
	one, err := model.Plan(windows[:1], 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	all, err := model.Plan(windows, 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	if count := int64(len(windows)); all.Data != count*one.Data ||
		all.DeviceBytes != one.DeviceBytes+(count-1)*one.Data || all.HostBytes != one.HostBytes {
		t.Errorf("%d windows: %s; one: %s", count, all, one)
	}
	if !all.Solve.Exact || all.Solve.Steps[0] != one.Solve.Steps[0] {
		t.Errorf("constant steps %v, exact %t, want those of one, %v", all.Solve.Steps, all.Solve.Exact, one.Solve.Steps)
	}
	long, err := ring(t).Windows(8, 1).Chronological(0.6, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	longest, err := model.Plan(long.Train[:1], 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]dyngraph.Window{{windows[0], long.Train[0]}, {long.Train[0], windows[0]}} {
		both, err := model.Plan(order, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if both.DeviceBytes != longest.DeviceBytes+one.Data || both.Solve.Steps[0] != longest.Solve.Steps[0] {
			t.Errorf("a long window and a short one: %s; the long one: %s", both, longest)
		}
	}

	for name, plan := range map[string]func() (*Plan, error){
		"none":           func() (*Plan, error) { return model.Plan(nil, 1, 0) },
		"negative batch": func() (*Plan, error) { return model.Plan(windows, -1, 0) },
		"negative steps": func() (*Plan, error) { return model.Plan(windows, 1, -1) },
		"other size":     func() (*Plan, error) { return model.Plan(wholes(pulses(t, 9, 1)), 1, 0) },
		"little memory": func() (*Plan, error) {
			return ringModel(t, func(c *Config) { c.Memory.Bytes = 1 }).Plan(windows, 1, 0)
		},
	} {
		if _, err := plan(); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v, want ErrInput", name, err)
		}
	}
	model.Close()
	if _, err := model.Plan(windows, 1, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
}

// Package ranking contains the study of node affinity: how strongly each node will be drawn to each class, such as
// what a country will export where.
//
// Start with [NodeAffinity].
package ranking

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Affinity is the study of how strongly each node will be drawn to each class: what a country will export where. Its
// runs have the keys "data" and "protocol", see [Protocols].
type Affinity struct {
	experiments.Study
	size func(experiments.Profile) affinitySize
	mine []*affinityData // data that ship with the module

	lock sync.Mutex
	own  map[string]*affinityData // your own data, by the requested path
}

// Protocol sets which forecasts are made, and which data are known at that time. Scores of different protocols cannot
// be compared.
type Protocol string

const (
	// OfficialStrict and OfficialParity are the protocol of the Temporal Graph Benchmark with each [affinity.Clock].
	OfficialStrict Protocol = "official"
	OfficialParity Protocol = "official-parity"
	// RandomWindows is the paper's protocol: windows of snapshots, shuffled by the seed.
	RandomWindows Protocol = "windows"
	// YearRotation tests each of the last label times with a model trained on the earlier ones, in strict time.
	YearRotation Protocol = "rotation"
)

// Protocols lists the protocols in the order of the tables.
func Protocols() []Protocol {
	return []Protocol{OfficialStrict, OfficialParity, RandomWindows, YearRotation}
}

// NodeAffinity returns the study of the paper's Table 3 on data that ship with the module, trade between 69
// countries, and on data of the Temporal Graph Benchmark if their folder is named.
//
// Published, on tgbn-trade and tgbn-genre: windows of 3 or 10 snapshots, rows of the adjacency as features, encoded
// linearly to 8; constant steps of 0.01; AdamW at rate 0.01, at most 200 epochs with patience 15. This study adds
// TGB's protocol, a rotation over label times, forecasts without a trained network, and a PENG-CDE that begins with
// the newest labels.
func NodeAffinity() *Affinity {
	trade := &affinityData{name: otherTrade, yearly: true, open: func(ctx context.Context,
		_ func(tgb.Progress)) (*tgb.Data, error) {
		return tgb.AgtpaTrade(ctx)
	}}
	a := &Affinity{size: affinitySizes, mine: []*affinityData{trade}, Study: experiments.Study{Name: "node-affinity",
		Title: "Who will trade with whom", Data: "agtpa_trade: 69 countries, 1986 to 2006; or TGB's own files",
		About: prose.Text("about node-affinity"), TakesData: true}}
	return a.complete()
}

// complete sets the fields that follow from the others.
func (a *Affinity) complete() *Affinity {
	a.Plan, a.Execute, a.Show, a.Page = a.plan, a.make, a.show, a.page
	return a
}

// affinityData is a data set that is read once, at the first request.
type affinityData struct {
	name string
	// yearly reports that times are years, otherwise seconds since 1970.
	yearly bool
	open   func(context.Context, func(tgb.Progress)) (*tgb.Data, error)

	read sync.Mutex
	data *tgb.Data
}

// load reads the data if they are not loaded; progress, if not nil, is called with the fraction that is read.
func (d *affinityData) load(ctx context.Context, progress func(fraction float64, text string)) (*tgb.Data, error) {
	d.read.Lock()
	defer d.read.Unlock()
	if d.data == nil {
		var heard func(tgb.Progress)
		if progress != nil {
			heard = func(p tgb.Progress) {
				progress(float64(p.Read)/float64(p.Size), fmt.Sprintf("%s, %d rows", p.File, p.Rows))
			}
		}
		data, err := d.open(ctx, heard)
		if err != nil {
			return nil, errs.In("experiments: data "+d.name, err)
		}
		d.data = data
	}
	return d.data, nil
}

// loaded returns the data. The identity of a planned run reads them, so that later calls read nothing.
func (d *affinityData) loaded() (*tgb.Data, error) { return d.load(context.Background(), nil) }

// batch returns a batch size that leaves room for the logits of all nodes; the data must be loaded.
func (d *affinityData) batch(most int) int {
	const logits = 1 << 25
	if d.data == nil {
		return most
	}
	return max(1, min(most, logits/(d.data.Nodes*d.data.Classes)))
}

// affinityRun is the specification of a run.
type affinityRun struct {
	affinityRow
	data     *affinityData
	protocol Protocol
	size     affinitySize
}

// rotated is the number of label times that the rotation tests; validated is the number of label times before each,
// used for validation.
const rotated, validated = 8, 3

// affinityInputs is the number of snapshots that networks see, except in the windows of the paper.
const affinityInputs = 3

// windowLength returns the number of snapshots in the paper's windows.
func windowLength(data string) int {
	if data == "tgbn-trade" || data == otherTrade {
		return 3
	}
	return 10
}

func (a *Affinity) plan(ctx context.Context, scope experiments.Scope) (runs []experiments.Run, err error) {
	size := a.size(scope.Profile)
	all := a.mine
	for _, path := range scope.Data {
		own := a.ownData(path)
		if slices.ContainsFunc(all, func(other *affinityData) bool { return other.name == own.name }) {
			return nil, errs.New(experiments.ErrInput, "experiments: data %s have the name %q, as have others: rename their "+
				"files",
				path, own.name)
		}
		all = append(all[:len(all):len(all)], own)
	}
	for i, own := range all[len(a.mine):] {
		_, err := own.load(ctx, scope.Progress)
		if ctx.Err() != nil {
			return nil, err
		} else if err != nil {
			return nil, errs.In("experiments: data "+scope.Data[i], err, experiments.ErrInput, fs.ErrNotExist)
		}
		a.keep(scope.Data[i], own)
	}
	for _, data := range all {
		for _, protocol := range size.protocols {
			for _, row := range size.rows(data.name) {
				if !row.by(protocol) {
					continue
				}
				at := affinityRun{data: data, protocol: protocol, size: size}
				at.affinityRow = row.of(at.task)
				at.Train.BatchSize = data.batch(at.Train.BatchSize)
				runs = append(runs, at.runs(scope)...)
			}
		}
	}
	return runs, nil
}

// ownData returns the data of a path; data that were read before are returned unchanged.
func (a *Affinity) ownData(path string) *affinityData {
	a.lock.Lock()
	defer a.lock.Unlock()
	if own := a.own[path]; own != nil {
		return own
	}
	return ownAffinity(path)
}

// keep stores data that were read.
func (a *Affinity) keep(path string, own *affinityData) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.own == nil {
		a.own = make(map[string]*affinityData)
	}
	a.own[path] = own
}

// runs lists the runs of a row on one data set by one protocol. Rows without random numbers have one seed, except on
// windows, which the seed shuffles.
func (r affinityRun) runs(scope experiments.Scope) (runs []experiments.Run) {
	seeds := scope.SeedsOr(r.size.seeds)
	if r.Untrained && r.protocol != RandomWindows {
		seeds = seeds[:1]
	}
	folds := 1
	if r.protocol == YearRotation {
		folds = r.size.rotated
	}
	for _, seed := range seeds {
		for fold := range folds {
			run := experiments.Run{Model: r.Row, Seed: seed, Spec: r,
				Keys: map[string]string{"data": r.data.name, "protocol": string(r.protocol)}}
			if r.protocol == YearRotation {
				run.Fold = fold + 1
			}
			run.Identity = func() (any, error) { return r.identity(run) }
			runs = append(runs, run)
		}
	}
	return runs
}

func (r affinityRun) identity(run experiments.Run) (any, error) {
	data, err := r.data.loaded()
	if err != nil {
		return nil, err
	}
	all := map[string]any{"edges": data.EdgeFile.SHA256, "labels": data.LabelFile.SHA256, "protocol": string(r.protocol),
		"row": r.ID, "seed": run.Seed, "inputs": r.inputs()}
	if r.protocol == YearRotation {
		all["tested"], all["validated"] = run.Fold-r.size.rotated-1, validated // counted from the last
	}
	return all, r.Row.Identity(all)
}

// task returns the task of the data; under [RandomWindows] each node is a class.
func (r affinityRun) task() (affinity.Task, error) {
	data, err := r.data.loaded()
	if err != nil {
		return affinity.Task{}, err
	}
	task := data.Task
	if r.protocol == RandomWindows {
		task.Classes = task.Nodes
	}
	return task, nil
}

// inputs returns the number of snapshots that a model sees.
func (r affinityRun) inputs() int {
	if r.protocol == RandomWindows {
		return windowLength(r.data.name) - 1
	}
	return affinityInputs
}

// protocolOf applies the protocol of a run.
func (r affinityRun) protocolOf(ctx context.Context, data *tgb.Data, run experiments.Run) (*affinity.Plan, error) {
	switch r.protocol {
	case OfficialStrict:
		return data.Official(affinity.Strict)
	case OfficialParity:
		return data.Official(affinity.Parity)
	case RandomWindows:
		return data.Windows(ctx, affinity.WindowConfig{Length: windowLength(r.data.name), Seed: run.Seed})
	}
	plans, err := data.Rotation(r.size.rotated, validated)
	if err != nil {
		return nil, err
	}
	return plans[run.Fold-1], nil
}

// name returns the name of a protocol in figures and tables.
func (p Protocol) name() string {
	switch p {
	case OfficialStrict:
		return "official, strict time"
	case OfficialParity:
		return "official, parity time"
	case RandomWindows:
		return "paper's windows"
	}
	return "rotation over label times"
}

package paper

import (
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/experiments/paper/ranking"
	"github.com/peng-cde/pengcde-go/experiments/paper/series"
	"github.com/peng-cde/pengcde-go/experiments/paper/sir"
	"github.com/peng-cde/pengcde-go/experiments/paper/worlds"
)

// The studies and the functions that draw their data, for notebooks that import only this package.
var (
	Table1, Table1AsPublished, TableWealth = worlds.Table1, worlds.Table1AsPublished, worlds.TableWealth
	WellPosed, Contact, Ablations          = worlds.WellPosed, worlds.Contact, worlds.Ablations
	WorldGraphs                            = worlds.WorldGraphs

	Epidemics, Tennis               = series.Epidemics, series.Tennis
	Flows, Movement, Cases, CasesOf = series.Flows, series.Movement, series.Cases, series.CasesOf
	Busiest, Regions                = series.Busiest, series.Regions
	TennisMentions, TennisDegrees   = series.TennisMentions, series.TennisDegrees

	SIR, EpidemicMaps, EpidemicCurves      = sir.SIR, sir.EpidemicMaps, sir.EpidemicCurves
	NodeAffinity, TradeMaps, TradePartners = ranking.NodeAffinity, ranking.TradeMaps, ranking.TradePartners

	StyleOf, BlocksOf, CriticalDifference = catalogue.StyleOf, catalogue.BlocksOf, catalogue.CriticalDifference
)

// The types of the studies, see their packages.
type (
	Worlds       = worlds.Worlds
	Measure      = worlds.Measure
	Forecasting  = series.Forecasting
	Countries    = series.Countries
	Split        = series.Split
	Oversampling = sir.Oversampling
	Affinity     = ranking.Affinity
	Blocks       = catalogue.Blocks
)

// The splits of a series, and the errors on simulated worlds.
const (
	Random         = series.Random
	PurgedRotation = series.PurgedRotation
	RollingOrigin  = series.RollingOrigin

	OnTest       = worlds.OnTest
	Interpolated = worlds.Interpolated
	Extrapolated = worlds.Extrapolated
)

// Package owntables writes tables of invented data as people bring them, to try the way from tables to a forecast:
// cases of regions with commuters between them, and payments between bank accounts, some of which open and close.
package owntables

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/peng-cde/pengcde-go/internal/durable"
)

// Sizes of the tables.
const (
	Regions, Days              = 52, 150
	Accounts, Weeks, Transfers = 300, 60, 32107
)

// Write writes commuters.csv, cases.csv, transfers.csv and accounts.csv to a folder, which it makes. The same seed
// gives the same bytes.
func Write(folder string, seed uint64) error {
	draw := rand.New(rand.NewPCG(seed, 0))
	commuters, cases := epidemic(draw)
	transfers, accounts := bank(draw)
	var failed []error
	for name, table := range map[string]*bytes.Buffer{"commuters.csv": commuters, "cases.csv": cases,
		"transfers.csv": transfers, "accounts.csv": accounts} {
		failed = append(failed, durable.WriteFile(filepath.Join(folder, name), table.Bytes()))
	}
	return errors.Join(failed...)
}

// epidemic returns commuters between nearby regions, fewer on weekends, and cases by day. The cases expected tomorrow
// grow with the cases of the regions from which people come.
func epidemic(draw *rand.Rand) (commuters, cases *bytes.Buffer) {
	commuters, cases = bytes.NewBufferString("date,from,to,commuters\n"), bytes.NewBufferString("date,region,kind,cases\n")
	var position [Regions][2]float64
	var size, level [Regions]float64
	for u := range Regions {
		position[u] = [2]float64{draw.Float64(), draw.Float64()}
		size[u], level[u] = math.Exp(draw.NormFloat64()), math.Exp(2*draw.NormFloat64())
	}
	for day := range Days {
		date := time.Date(2025, 3, 3+day, 0, 0, 0, 0, time.UTC)
		work := 1.0
		if date.Weekday() == time.Saturday || date.Weekday() == time.Sunday {
			work = 0.35
		}
		var arrives, people [Regions]float64
		for u := range Regions {
			for v := range Regions {
				apart := math.Hypot(position[u][0]-position[v][0], position[u][1]-position[v][1])
				if u == v || apart > 0.25 {
					continue
				}
				flow := math.Round(2000 * size[u] * size[v] * math.Exp(-8*apart) * work * math.Exp(0.1*draw.NormFloat64()))
				if flow == 0 {
					continue
				}
				fmt.Fprintf(commuters, "%s,%s,%s,%g\n", date.Format(time.DateOnly), region(u), region(v), flow)
				arrives[v] += flow * level[u]
				people[v] += flow
			}
		}
		growth := 1 + 0.04*math.Sin(2*math.Pi*float64(day)/90)
		for u := range Regions {
			kind := "rural"
			if size[u] > 1 {
				kind = "urban"
			}
			count := distuv.Poisson{Lambda: level[u], Src: draw}.Rand()
			fmt.Fprintf(cases, "%s,%s,%s,%.0f\n", date.Format(time.DateOnly), region(u), kind, count)
			if people[u] > 0 {
				level[u] = 0.6*level[u] + 0.4*arrives[u]/people[u]
			}
			level[u] = 0.2 + level[u]*growth*math.Exp(0.15*draw.NormFloat64())
		}
	}
	return commuters, cases
}

// bank returns payments with their minute, and what each open account spent in a week, by payments and in cash: mostly
// what it received the week before. A fifth of the accounts open late, a tenth closes.
func bank(draw *rand.Rand) (transfers, accounts *bytes.Buffer) {
	transfers = bytes.NewBufferString("timestamp,payer,payee,amount\n")
	accounts = bytes.NewBufferString("date,account,kind,spent\n")
	var opens, closes [Accounts]int
	var income [Accounts]float64
	for u := range Accounts {
		closes[u], income[u] = Weeks, 200*math.Exp(0.6*draw.NormFloat64())
		switch {
		case u%5 == 4:
			opens[u] = 1 + draw.IntN(Weeks/2)
		case u%10 == 3:
			closes[u] = Weeks/2 + draw.IntN(Weeks/2)
		}
	}
	received := income
	for week := range Weeks {
		monday := time.Date(2025, 1, 6+7*week, 0, 0, 0, 0, time.UTC)
		var open []int
		for u := range Accounts {
			if opens[u] <= week && week < closes[u] {
				open = append(open, u)
			}
		}
		payers := make([]int, Transfers*(week+1)/Weeks-Transfers*week/Weeks)
		var payments, arrives [Accounts]float64
		for i := range payers {
			payers[i] = open[draw.IntN(len(open))]
			payments[payers[i]]++
		}
		for _, from := range payers {
			to := open[draw.IntN(len(open))]
			for to == from {
				to = open[draw.IntN(len(open))]
			}
			amount := math.Round(100*(1+received[from]/payments[from]*math.Exp(0.3*draw.NormFloat64()))) / 100
			at := monday.Add(time.Duration(draw.IntN(7*24*60)) * time.Minute)
			fmt.Fprintf(transfers, "%s,%s,%s,%.2f\n", at.Format("2006-01-02T15:04:05Z"), account(from), account(to), amount)
			arrives[to] += amount
		}
		for _, u := range open {
			kind := "private"
			if income[u] > 250 {
				kind = "business"
			}
			fmt.Fprintf(accounts, "%s,%s,%s,%.2f\n", monday.Format(time.DateOnly), account(u), kind,
				received[u]*math.Exp(0.2*draw.NormFloat64()))
			received[u] = 0.2*income[u] + 0.7*arrives[u]
		}
	}
	return transfers, accounts
}

func region(u int) string {
	return []string{"Ald", "Bren", "Cor", "Dun", "Esk", "Fen", "Gar"}[u%7] +
		[]string{"bury", "dale", "ford", "ham", "mere", "ton", "wick", "stead"}[u/7]
}

func account(u int) string { return fmt.Sprintf("AC-%04d", 1000+u*17) }

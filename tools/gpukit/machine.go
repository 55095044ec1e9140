package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/peng-cde/pengcde-go/internal/resident"
)

// Machine describes where the kit ran.
type Machine struct {
	System    string `json:"system"`
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Memory    int64  `json:"memory_available_bytes"`
	Card      string `json:"card,omitempty"` // the first of nvidia-smi, "" without it
	Driver    string `json:"driver,omitempty"`
	CardBytes int64  `json:"card_memory_bytes,omitempty"`
}

func machineHere(ctx context.Context) Machine {
	m := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Memory: resident.Available()}
	if content, err := os.ReadFile("/proc/version"); err == nil {
		m.System = strings.TrimSpace(string(content))
	}
	content, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(content)) {
		if name, found := strings.CutPrefix(line, "model name"); found {
			m.Processor = strings.Trim(name, "\t :\n")
		}
	}
	if card, err := askCard(ctx, "name", "driver_version"); err == nil {
		m.Card, m.Driver = card[0], card[1]
	}
	m.CardBytes, _ = cardBytes(ctx, "memory.total")
	return m
}

func (m Machine) String() string {
	text := fmt.Sprintf("%s, %d cores, %.0f GiB of memory available", m.Processor, m.Cores, gibibytes(m.Memory))
	if m.Card != "" {
		text = fmt.Sprintf("%s of %.0f GiB, driver %s; %s", m.Card, gibibytes(m.CardBytes), m.Driver, text)
	}
	return text
}

func gibibytes(bytes int64) float64 { return float64(bytes) / (1 << 30) }

// askCard asks nvidia-smi for properties of the first card.
func askCard(ctx context.Context, properties ...string) ([]string, error) {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	text, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu="+strings.Join(properties, ","),
		"--format=csv,noheader,nounits").Output()
	if err != nil {
		return nil, fmt.Errorf("nvidia-smi: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	values := strings.Split(first, ", ")
	if len(values) != len(properties) {
		return nil, fmt.Errorf("nvidia-smi answered %q, want %q", first, properties)
	}
	return values, nil
}

// cardBytes is a property of the card that nvidia-smi gives in MiB.
func cardBytes(ctx context.Context, property string) (int64, error) {
	values, err := askCard(ctx, property)
	if err != nil {
		return 0, err
	}
	mebibytes, err := strconv.ParseInt(strings.TrimSpace(values[0]), 10, 64)
	return mebibytes << 20, err
}

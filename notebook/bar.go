package notebook

import (
	"fmt"
	"html"
	"math"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/internal/progress"
)

// Bar shows the progress of a long piece of work: one output of a cell that changes in place. Show(fraction, left,
// text) sets the completed fraction, NaN if unknown, and the remaining time, 0 if unknown, such as while a program
// compiles. Update(fraction, text) estimates the remaining time itself, for work that progresses evenly. Both may be
// called at any rate, from several goroutines. Done(text), or Stop(text) for work that did not succeed, leaves one
// line. Outside a notebook nothing is drawn.
type Bar = progress.Bar

// NewBar draws a bar, and starts its clock.
func NewBar(title string) *Bar {
	if !gonbui.IsNotebook {
		return progress.New(title, func(progress.State) {}, progress.Live, time.Now)
	}
	bar := progress.New(title, drawBar("bar_"+gonbui.UniqueId(), gonbui.UpdateHTML, gonbui.Sync), progress.Live, time.Now)
	bar.Update(math.NaN(), "starting")
	go bar.Tick(time.Second)
	return bar
}

// barLine has a class by which tools/run_notebooks.py recognises a bar.
const barLine = `<div class="pengcde-bar" style="font-size:13px;font-variant-numeric:tabular-nums">` +
	"%s<b>%s</b>%s%s</div>"

// drawBar returns a function that rewrites the output with this id.
func drawBar(id string, update func(id, html string), flush func()) func(progress.State) {
	return func(s progress.State) {
		const style = `style="width:16em;vertical-align:middle"`
		mark, bar := s.Mark, " <progress max=\"1\" "+style+"></progress>"
		switch {
		case mark != "":
			mark, bar = mark+" ", ""
		case !math.IsNaN(s.Fraction):
			bar = fmt.Sprintf(` <progress max="1" value="%.4f" %s></progress> %s`, s.Fraction, style, s.Percent())
		}
		update(id, fmt.Sprintf(barLine, mark, html.EscapeString(s.Title), bar,
			html.EscapeString(progress.Join("", s.Text, s.Clock()))))
		if mark != "" {
			flush() // a cell is a process: output still in the pipe when it ends is lost
		}
	}
}

package figures

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/peng-cde/pengcde-go/internal/progress"
)

// Frame is one figure of a Slider.
type Frame struct {
	Name   string // shown beside the slider, such as "t = 1.25"
	Figure *Figure
}

// Slider shows one of several figures of the same size, and a slider to choose it. Without scripts (an untrusted
// notebook, a mail, paper) the middle frame is shown, with which it opens.
type Slider struct{ frames []Frame }

// NewSlider makes a slider of one or more frames. Frames of about 20 kB, such as three Images of 20 x 20 cells, are
// light enough for thirty of them in a notebook.
func NewSlider(frames ...Frame) (*Slider, error) {
	if len(frames) == 0 {
		return nil, invalid("NewSlider got no frames, wanted one or more")
	}
	for i, f := range frames {
		if f.Figure == nil {
			return nil, invalid("frame %d (%q) has no figure: look at the error of the "+
				"function that was to draw it", i, f.Name)
		}
		wide, high := f.Figure.Size()
		if firstWide, firstHigh := frames[0].Figure.Size(); wide != firstWide || high != firstHigh {
			return nil, invalid("frame %d (%q) is %.4g by %.4g points, the first is %.4g by "+
				"%.4g: give all one size, and Images the same Limits", i, f.Name, wide, high, firstWide, firstHigh)
		}
	}
	return &Slider{frames: append([]Frame(nil), frames...)}, nil
}

// ImageSlider makes a slider of [Images] with the same axes and limits, one for each list of panels, by their names.
func ImageSlider(axes Axes, names []string, panels [][]ImagePanel) (*Slider, error) {
	if len(names) != len(panels) {
		return nil, invalid("figures: ImageSlider got %d names and %d lists of panels, wanted as many of each", len(names),
			len(panels))
	}
	limits := LimitsOf(panels...)
	var frames []Frame
	for i, name := range names {
		figure, err := Images(axes, limits, panels[i])
		if err != nil {
			return nil, err
		}
		frames = append(frames, Frame{Name: name, Figure: figure})
	}
	return NewSlider(frames...)
}

// sliderScript finds its slider by its own position in the page. So nothing needs an id, and a page may hold any number
// of sliders, or the same slider twice. It takes the focus after a click, which JupyterLab gives to the cell.
const sliderScript = `<script>{
const root = document.currentScript.parentElement;
const bar = root.querySelector("input"), name = root.querySelector("output");
const frames = Array.from(root.querySelectorAll("img"));
const show = () => {
	frames.forEach((frame, i) => { frame.hidden = i !== Number(bar.value); });
	name.value = frames[bar.value].title;
	bar.setAttribute("aria-valuetext", name.value);
};
bar.addEventListener("input", show);
bar.addEventListener("click", () => bar.focus());
bar.hidden = false;
show();
}</script>`

// hidden has a value because JupyterLab drops empty attributes in untrusted notebooks.
const hidden = ` hidden="hidden"`

// HTML returns a part of a page that needs neither a network nor another script. It is also well-formed XML.
func (s *Slider) HTML() (string, error) {
	if len(s.frames) == 0 {
		return "", invalid("slider without frames, wanted one that NewSlider made")
	}
	var b strings.Builder
	middle := len(s.frames) / 2
	b.WriteString(`<div><div style="display:flex;align-items:center;gap:0.8em;margin:0.3em 0">`)
	// Without the attribute data-lm-suppress-shortcuts JupyterLab takes the arrow keys for itself, to fold headings.
	fmt.Fprintf(&b, `<input data-lm-suppress-shortcuts="true" type="range" min="0" max="%d" value="%d" step="1" `+
		`autocomplete="off"%s style="width:20em;max-width:60%%" aria-label="%s" />`,
		len(s.frames)-1, middle, hidden, escaped(progress.Join("Frame", s.frames[0].Figure.Title())))
	fmt.Fprintf(&b, `<output style="font-variant-numeric:tabular-nums">%s</output></div>`, escaped(s.frames[middle].Name))
	for i, f := range s.frames {
		svg, err := f.Figure.SVG()
		if err != nil {
			return "", fmt.Errorf("figures: frame %d (%q): %w", i, f.Name, err)
		}
		unseen := hidden
		if i == middle {
			unseen = ""
		}
		// An image, unlike SVG in the page, passes JupyterLab's filter for untrusted notebooks.
		fmt.Fprintf(&b, `<img title="%s" alt="%s"%s style="max-width:100%%;height:auto" src="data:image/svg+xml,%s" />`,
			escaped(f.Name), escaped(progress.Join(f.Name, f.Figure.Alt())), unseen, inURL.Replace(string(svg)))
	}
	b.WriteString(sliderScript + "</div>")
	return b.String(), nil
}

// inURL escapes what would end an address or an attribute; base64 would add a third to the length.
var inURL = strings.NewReplacer("%", "%25", "#", "%23", `"`, "%22", "<", "%3C", ">", "%3E", "&", "%26",
	"\n", " ", "\t", " ")

// escaped writes s for a page, without what XML cannot hold.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder does not fail
	return b.String()
}

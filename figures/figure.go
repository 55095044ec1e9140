package figures

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrInput is wrapped by every error about the input of a figure or table.
var ErrInput = errs.ErrInput

// invalid returns an error that wraps ErrInput.
func invalid(format string, args ...any) error {
	return errs.New(ErrInput, format, args...)
}

// saveDPI is the resolution of PNG files: 640 points become 1778 pixels, enough for a printed column.
const saveDPI = 200

// Figure is a drawing of a fixed size that can be written as SVG or PNG any number of times.
type Figure struct {
	title, alt    string
	width, height vg.Length // with the caption
	caption       []string  // paragraphs that are drawn below, or follow the drawing on a page
	draw          func(draw.Canvas)
}

// Item is a part of a page that notebook.Show can show: a *Figure, a *Table or a *Slider.
type Item interface {
	HTML() (string, error) // part of a page
}

// Title returns the title that is drawn.
func (f *Figure) Title() string { return f.title }

// Size returns width and height in points.
func (f *Figure) Size() (width, height float64) { return f.width.Points(), f.height.Points() }

// captionLines returns the lines of the caption, wrapped as they are drawn.
func (f *Figure) captionLines() (lines []string) {
	for _, paragraph := range f.caption {
		lines = append(lines, wrap(noteText, paragraph, f.width-2*margin)...)
	}
	return lines
}

// captionHeight returns the height of the drawn caption.
func (f *Figure) captionHeight() vg.Length {
	if lines := f.captionLines(); lines != nil {
		return vg.Length(len(lines)*noteLine + gap)
	}
	return 0
}

// drawCaption writes the caption along the lower edge, and returns the canvas left above it.
func (f *Figure) drawCaption(c draw.Canvas) draw.Canvas {
	lines := f.captionLines()
	for i, line := range lines {
		y := c.Min.Y + margin + vg.Length(len(lines)-1-i)*noteLine + noteLine/2
		write(c, noteText, draw.XLeft, c.Min.X+margin, y, line)
	}
	c.Min.Y += f.captionHeight()
	return c
}

// SVG returns the drawing as a self-contained SVG document: no scripts, no links, system fonts. Browsers show it in
// dark colours where they prefer these, and in JupyterLab by its theme.
func (f *Figure) SVG() ([]byte, error) {
	svg, widths, err := f.write(vgsvg.New(f.width, f.height))
	if err != nil {
		return nil, err
	}
	parts := strings.Split(svgSize.ReplaceAllString(string(svg), ""), "<text ")
	for i, width := range widths { // so that another font does not run over its neighbours
		parts[i+1] = fmt.Sprintf(`<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, width.Points()) + parts[i+1]
	}
	// Fonts that a machine without Liberation Sans has with the same metrics are named once for all texts. The size is
	// in CSS pixels, as not every reader of SVG knows points.
	root := fmt.Sprintf(`<svg role="img" aria-label="%s" font-family="'Liberation Sans',Arial,Helvetica,sans-serif" `+
		`width="%.2f" height="%.2f" `, escaped(clean(f.alt)), 96.0/72*f.width.Points(), 96.0/72*f.height.Points())
	const face = "font-family:Liberation Sans;font-variant:normal;"
	drawn := strings.NewReplacer("<svg ", root, face+"font-weight:normal;font-style:normal;", "",
		face+"font-weight:bold;font-style:normal;", "font-weight:bold;", "data:image/jpg;", "data:image/png;",
		"<image ", `<image preserveAspectRatio="none" `).Replace(strings.Join(parts, ""))
	return []byte(strings.Replace(drawn, ">\n<g ", ">\n"+darkRules+"\n<g ", 1)), nil
}

var svgSize = regexp.MustCompile(`width="[0-9.e+]+pt" height="[0-9.e+]+pt" `)

// leastWidth is the width in CSS pixels below which a drawing no longer shrinks with a page: texts stay legible, and
// the drawing can be scrolled.
const leastWidth = 640

// HTML returns the drawing as a part of a page, which shrinks with the page, and its caption as text below.
func (f *Figure) HTML() (string, error) {
	drawn := *f
	drawn.height, drawn.caption = max(1, f.height-f.captionHeight()), nil
	svg, err := drawn.SVG()
	if err != nil {
		return "", err
	}
	svg = svg[bytes.Index(svg, []byte("<svg ")):] // an XML declaration has no place inside a page
	least := min(leastWidth, 96.0/72*f.width.Points())
	style := fmt.Sprintf(`<svg style="max-width:100%%;min-width:%.0fpx;height:auto" `, least)
	svg = bytes.Replace(svg, []byte("<svg "), []byte(style), 1)
	page := `<div style="margin:0.5em 0;container-type:inline-size;break-inside:avoid"><div style="overflow-x:auto">` +
		string(svg) + "</div>" + scrolls(least, "The figure") + "</div>"
	for _, paragraph := range f.caption {
		page += fmt.Sprintf(`<p style="font-size:13px;margin:0.3em 0;max-width:60em">%s</p>`, html.EscapeString(paragraph))
	}
	return page, nil
}

// PNG returns the drawing as a PNG of round(width * dpi / 72) by round(height * dpi / 72) pixels.
func (f *Figure) PNG(dpi int) ([]byte, error) {
	if dpi < 10 || dpi > 2400 {
		return nil, invalid("figures: %d dots per inch asked, wanted 10 to 2400 (96 for a screen, 300 for print)", dpi)
	}
	img := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
	content, _, err := f.write(vgimg.PngCanvas{Canvas: img})
	return content, err
}

// Save writes path as SVG or as PNG (200 dots per inch) by its extension. The file is written completely or not at
// all, and its folder is made if necessary.
func (f *Figure) Save(path string) error {
	encode := f.SVG
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg":
	case ".png":
		encode = func() ([]byte, error) { return f.PNG(saveDPI) }
	default:
		return invalid("figures: cannot write %q: extension %q, wanted .svg or .png", path, ext)
	}
	content, err := encode()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(path, content); err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	return nil
}

// write draws on a white page, and measures the texts in their order. The plotting library panics on nonsense; that
// must not end a user's program.
func (f *Figure) write(canvas vg.CanvasWriterTo) (content []byte, widths []vg.Length, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = invalid("figures: drawing %q at %.0f by %.0f points failed (%v): try a larger Width and Height",
				f.title, f.width.Points(), f.height.Points(), p)
		}
	}()
	a := &adapter{CanvasSizer: canvas}
	c := draw.New(a)
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	f.draw(f.drawCaption(c))
	var buffer bytes.Buffer
	if _, err := canvas.WriteTo(&buffer); err != nil {
		return nil, nil, fmt.Errorf("figures: writing %q: %w", f.title, err)
	}
	return buffer.Bytes(), a.widths, nil
}

package figures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"
	"golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ErrInput is wrapped by every error about what a figure or table was asked to show.
var ErrInput = errors.New("invalid input for a figure")

// invalid is an error that wraps ErrInput.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrInput)
}

// saveDPI is the resolution of PNG files: 640 points become 1778 pixels, enough for a printed column.
const saveDPI = 200

// Figure is a drawing of a fixed size that can be written as SVG or PNG any number of times.
type Figure struct {
	title         string
	width, height vg.Length
	draw          func(draw.Canvas)
}

// Item is what notebook.Show shows: a *Figure, a *Table or a *notebook.Slider.
type Item interface {
	HTML() (string, error) // part of a page
}

// Title returns the title that is drawn.
func (f *Figure) Title() string { return f.title }

// Size returns width and height in points.
func (f *Figure) Size() (width, height float64) { return f.width.Points(), f.height.Points() }

// SVG returns the drawing as a self-contained SVG document: no scripts, no links, system fonts.
func (f *Figure) SVG() ([]byte, error) {
	svg, err := f.write(vgsvg.New(f.width, f.height))
	if err != nil {
		return nil, err
	}
	return tidySVG(svg, f), nil
}

// HTML returns the drawing as a part of a page, which shrinks with the page.
func (f *Figure) HTML() (string, error) {
	svg, err := f.SVG()
	if err != nil {
		return "", err
	}
	svg = svg[bytes.Index(svg, []byte("<svg ")):] // an XML declaration has no place inside a page
	svg = bytes.Replace(svg, []byte("<svg "), []byte(`<svg style="max-width:100%;height:auto" `), 1)
	return "<div>" + string(svg) + "</div>", nil
}

// PNG returns the drawing as a PNG of round(width * dpi / 72) by round(height * dpi / 72) pixels.
func (f *Figure) PNG(dpi int) ([]byte, error) {
	if dpi < 10 || dpi > 2400 {
		return nil, invalid("figures: %d dots per inch asked, wanted 10 to 2400 (96 for a screen, 300 for print)", dpi)
	}
	return f.write(vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))})
}

// Save writes path as SVG or as PNG (200 dots per inch) by its extension. The file appears whole or not at all.
func (f *Figure) Save(path string) error {
	var content []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg":
		content, err = f.SVG()
	case ".png":
		content, err = f.PNG(saveDPI)
	default:
		return invalid("figures: cannot write %q: extension %q, wanted .svg or .png", path, ext)
	}
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("figures: saving %q (does its folder exist?): %w", path, err)
	}
	return nil
}

// write draws on a white page. The plotting library panics on nonsense; that must not end a user's program.
func (f *Figure) write(canvas vg.CanvasWriterTo) (content []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = invalid("figures: drawing %q at %.0f by %.0f points failed (%v): try a larger Width and Height",
				f.title, f.width.Points(), f.height.Points(), p)
		}
	}()
	c := draw.New(crisp{canvas})
	c.SetColor(white)
	c.Fill(c.Rectangle.Path())
	f.draw(c)
	var buffer bytes.Buffer
	if _, err := canvas.WriteTo(&buffer); err != nil {
		return nil, fmt.Errorf("figures: writing %q: %w", f.title, err)
	}
	return buffer.Bytes(), nil
}

var fontStyle = regexp.MustCompile(
	`font-family:Liberation Sans;font-variant:(?:none|normal);font-weight:(normal|bold);font-style:normal;`)

var svgSize = regexp.MustCompile(`width="[0-9.e+]+pt" height="[0-9.e+]+pt"`)

// pixels is the number of CSS pixels in a point; not every reader of SVG knows points.
const pixels = 96.0 / 72

// tidySVG names fonts that a machine without Liberation Sans has with the same metrics (Arial, Helvetica), says the
// font once for all texts and how wide each is, so that another font does not run over its neighbours, gives the size in
// pixels, and corrects how images are declared.
func tidySVG(svg []byte, f *Figure) []byte {
	svg = fontStyle.ReplaceAllFunc(svg, func(m []byte) []byte {
		if bytes.Contains(m, []byte("bold")) {
			return []byte("font-weight:bold;")
		}
		return nil
	})
	svg = svgText.ReplaceAllFunc(svg, fitText)
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(f.title)) // a bytes.Buffer does not fail
	root := `<svg role="img" aria-label="` + escaped.String() +
		`" font-family="'Liberation Sans',Arial,Helvetica,sans-serif"`
	svg = bytes.Replace(svg, []byte("<svg"), []byte(root), 1)
	size := fmt.Sprintf(`width="%.2f" height="%.2f"`, pixels*f.width.Points(), pixels*f.height.Points())
	svg = svgSize.ReplaceAll(svg, []byte(size))
	svg = bytes.ReplaceAll(svg, []byte("data:image/jpg;"), []byte("data:image/png;"))
	return bytes.ReplaceAll(svg, []byte("<image "), []byte(`<image preserveAspectRatio="none" `))
}

var svgText = regexp.MustCompile(
	`<text [^>]*style="(font-weight:bold;)?font-size:([0-9.]+)px;[^>]*>([^<]+)</text>`)

// fitText says how wide a text is.
func fitText(text []byte) []byte {
	parts := svgText.FindSubmatch(text)
	size, _ := strconv.ParseFloat(string(parts[2]), 64) // matched as digits and points
	style := labelText
	if style.Font.Size = vg.Points(size); len(parts[1]) > 0 {
		style.Font.Weight = font.WeightBold
	}
	width := style.Width(html.UnescapeString(string(parts[3])))
	fitted := fmt.Appendf(nil, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, width.Points())
	return bytes.Replace(text, []byte("<text "), fitted, 1)
}

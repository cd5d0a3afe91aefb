package reader

import (
	"context"
	"fmt"
	"strings"
)

// missing is the error of a zip file that is no document of its type.
func missing(part string) error { return fmt.Errorf("damaged: the zip file has no %s", shown(part)) }

// readSlides reads PowerPoint presentations (Office Open XML).
func readSlides(ctx context.Context, s Source, o Options) (Text, error) {
	z, err := openZip(ctx, s)
	if err != nil {
		return Text{}, err
	}
	root, err := z.relations("")
	if err != nil {
		return Text{}, err
	}
	p := newPage(s, o)
	if err := z.properties(root.first("core-properties", "docProps/core.xml"), &p.head); err != nil {
		return Text{}, err
	}
	main := root.first("officeDocument", "ppt/presentation.xml")
	if z.files[main] == nil {
		return Text{}, missing(main)
	}
	links, err := z.relations(main)
	if err != nil {
		return Text{}, err
	}
	var slides []string
	err = z.walk(ctx, main, &page{limit: 1}, func(m *markup) {
		if m.kind == startTag && m.is("sldid") {
			if r := links[m.reference()]; r.kind == "slide" && len(slides) < mostParts {
				slides = append(slides, r.target)
			}
		}
	})
	for _, name := range slides {
		if err != nil || p.full {
			break
		}
		err = p.slide(ctx, z, name)
	}
	if err != nil {
		return Text{}, err
	}
	return p.done(), nil
}

// slide writes a slide and its notes.
func (p *page) slide(ctx context.Context, z *zipped, name string) error {
	links, err := z.relations(name)
	if err != nil {
		return err
	}
	s := &slideText{page: p, links: links}
	if err := z.walk(ctx, name, p, s.token); err != nil || s.hidden {
		return err
	}
	p.endBlock()
	notes := links.first("notesSlide", "")
	if notes == "" {
		return nil
	}
	n := &slideText{page: p}
	if n.links, err = z.relations(notes); err != nil {
		return err
	}
	err = z.walk(ctx, notes, p, n.token)
	p.endBlock()
	return err
}

// slideText is the state of a slide, or of another part of DrawingML, that is being read.
type slideText struct {
	*page
	links  relations
	hidden bool // the slide is not shown
	holder string
	inText bool
	href   string // of the run
	inRun  bool
	cells  int
}

func (s *slideText) token(m *markup) {
	if s.hidden {
		return
	}
	switch m.kind {
	case startTag:
		s.start(m)
	case endTag:
		s.end(m)
	case textToken:
		if !s.inText || s.holder == "sldnum" || s.holder == "dt" {
			return
		}
		linked := s.link(s.href)
		s.text(m.text())
		if linked {
			s.endLink()
		}
	}
}

func (s *slideText) start(m *markup) {
	switch string(m.name) {
	case "sld":
		s.hidden = m.attr("show") == "0" || m.attr("show") == "false"
	case "sp", "graphicframe", "pic":
		s.holder = ""
	case "ph": // a placeholder of the layout: title, body, number of the slide
		s.holder = strings.ToLower(m.attr("type"))
	case "p":
		tag := "p"
		if s.holder == "title" || s.holder == "ctrtitle" {
			tag = "h2"
		}
		s.block(tag)
	case "r", "fld":
		s.href, s.inRun = "", true
	case "hlinkclick":
		if r := s.links[m.reference()]; r.external && s.inRun {
			s.href = r.target
		}
	case "t":
		s.inText = true
	case "br":
		if s.opened != "" {
			s.raw("<br>")
		}
	case "tbl":
		s.endBlock()
		s.raw("<table>\n")
		s.cells++
	case "tr":
		if s.cells > 0 {
			s.raw("<tr>")
		}
	case "tc":
		if s.cells > 0 {
			s.raw("<td>")
		}
	}
}

func (s *slideText) end(m *markup) {
	switch string(m.name) {
	case "p":
		s.endBlock()
	case "t":
		s.inText = false
	case "r", "fld":
		s.href, s.inRun = "", false
	case "tbl":
		s.endBlock()
		s.raw("</table>\n")
		s.cells--
	case "tr":
		if s.cells > 0 {
			s.raw("</tr>\n")
		}
	case "tc":
		if s.cells > 0 {
			s.endBlock()
			s.raw("</td>")
		}
	}
}

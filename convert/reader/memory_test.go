package reader

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// generated returns a zip file with a member that is a text between copies of another one.
func generated(t *testing.T, name, begin, each, end string, copies int, more ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(more); i += 2 {
		w, _ := z.Create(more[i])
		_, _ = io.WriteString(w, more[i+1])
	}
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, begin)
	block := strings.Repeat(each, 1000)
	for range copies / 1000 {
		_, _ = io.WriteString(w, block)
	}
	_, _ = io.WriteString(w, end)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Documents with very many or very long parts are read within a bound of memory, whatever they unpack to (B44, B46, B47). The
// files below the 32 MiB that any document may unpack to are the worst that small ones can do.
func TestMemoryOfHostileDocuments(t *testing.T) {
	const most = 100 << 20
	docx, xlsx, pptx, odt := extensions["docx"], extensions["xlsx"], extensions["pptx"], extensions["odt"]
	sheet1 := []string{
		"xl/workbook.xml", `<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="s.xml"/></Relationships>`,
	}
	var laughs strings.Builder
	laughs.WriteString(`<!DOCTYPE r [<!ENTITY a0 "ha ">`)
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, `<!ENTITY a%d "&a%d;&a%d;&a%d;&a%d;">`, i, i-1, i-1, i-1, i-1)
	}
	laughs.WriteString("]><r>&a29;</r>")
	for _, c := range []struct {
		name, media string
		body        []byte
	}{
		{"B46 entities in XML", "text/xml", []byte(laughs.String())},
		{"B46 entities in docx", docx, packed("word/document.xml", laughs.String())},
		{"B46 deep docx", docx, generated(t, "word/document.xml", "", "<w:p><w:tbl>", "", 700_000)},
		{"B46 deep odt", odt, generated(t, "content.xml", "", "<text:p><text:a xlink:href='x'>", "", 500_000)},
		{"B47 attributes", docx, generated(t, "word/document.xml", "<w:p ", `a="" `, "/>", 5_000_000)},
		{"B47 long text", docx, generated(t, "word/document.xml", "<w:p><w:t>", "word ", "</w:t></w:p>", 2_000_000)},
		{"B47 shared texts", xlsx, generated(t, "xl/sharedStrings.xml", "", "<si><t>a</t></si>", "", 700_000, sheet1...)},
		{"B47 a shared text in pieces", xlsx, generated(t, "xl/sharedStrings.xml", "<si>", "<t>text and</t>", "</si>", 700_000, sheet1...)},
		{"B47 a cell in pieces", xlsx, generated(t, "xl/s.xml", "<row><c t='str'>", "<v>text and</v>", "</c></row>", 700_000, sheet1...)},
		{"B47 sheets", xlsx, generated(t, "xl/workbook.xml", "", `<sheet name="a" r:id="r1"/>`, "", 400_000, sheet1[2:]...)},
		{"B47 slides", pptx, generated(t, "ppt/presentation.xml", "", `<p:sldId r:id="r1"/>`, "", 500_000, "ppt/_rels/presentation.xml.rels",
			`<Relationship Id="r1" Type="x/slide" Target="s.xml"/>`)},
		{"B47 relations", docx, generated(t, "word/_rels/document.xml.rels", "", `<a Id="r1"/>`, "", 700_000, "word/document.xml", "<w:p/>")},
		{"B47 styles", docx, generated(t, "word/styles.xml", "", `<w:style w:styleId="a"><w:name w:val="heading 1"/>`, "", 200_000, "word/document.xml", "<w:p/>")},
	} {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		stop, peak := make(chan bool), make(chan uint64)
		go func() {
			var now runtime.MemStats
			top := uint64(0)
			for {
				select {
				case <-stop:
					peak <- top
					return
				case <-time.After(5 * time.Millisecond):
					runtime.ReadMemStats(&now)
					top = max(top, now.HeapAlloc)
				}
			}
		}()
		began := time.Now()
		got, err := reading(c.media, c.body, "")
		took := time.Since(began)
		stop <- true
		top := <-peak
		used := int64(max(top, before.HeapAlloc) - before.HeapAlloc)
		t.Logf("%-28s %4d kB: %3d MB of memory, %v, %d bytes, %v", c.name, len(c.body)>>10, used>>20, took.Round(time.Millisecond), len(got.Body), err)
		if used > most || len(got.Body) > limit {
			t.Errorf("%s: %d MB of memory, %v, %d bytes", c.name, used>>20, took, len(got.Body))
		}
		if strings.Contains(string(got.Body), "ha ha") {
			t.Errorf("%s: entities are expanded", c.name)
		}
	}
}

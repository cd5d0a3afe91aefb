package search

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/search/suggest"
)

func TestCompletions(t *testing.T) {
	index := func(texts ...string) *suggest.Index {
		b := suggest.NewBuilder(1 << 20)
		for i, text := range texts {
			b.Add(suggest.Text{Text: text, URL: fmt.Sprint(i)})
		}
		return b.Index()
	}
	s := &suggestions{
		queries: index("vacuum full", "vacuum", "vacuum table"),
		titles:  index("VACUUM", "Routine Vacuuming", "Vacuum Full", "Table", "vacuum a", "vacuum b", "vacuum c", "vacuum d", "vacuum e", "vacuum f", "vacuum g"),
		words:   index("vacuum", "vacuuming", "vacuums", "vacuumed", "vacancy", "être"),
	}
	for text, want := range map[string][]string{
		"vac":       {"q vacuum full", "q vacuum", "q vacuum table", "t VACUUM", "t Vacuum Full", "t vacuum a", "t vacuum b", "w vacuuming", "w vacuums", "w vacuumed"},
		"VACUUM":    {"q vacuum full", "q vacuum table", "t VACUUM", "t Vacuum Full", "t vacuum a", "t vacuum b", "t vacuum c", "w vacuuming", "w vacuums", "w vacuumed"},
		"vacuum ":   {"q vacuum full", "q vacuum table", "t Vacuum Full", "t vacuum a", "t vacuum b", "t vacuum c", "t vacuum d", "t vacuum e", "t vacuum f", "t vacuum g"},
		"rout":      {"t Routine Vacuuming"},
		"how  vaca": {"w how vacancy"},
		"x-vaca":    {"w x-vacancy"},
		"etr":       {"w être"},
		"a,  Tab":   nil, "\x00": nil, "": nil,
	} {
		var got []string
		for _, c := range s.complete(text, nil) {
			got = append(got, string("qtw"[c.Kind])+" "+c.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

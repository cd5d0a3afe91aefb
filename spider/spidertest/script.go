package spidertest

import (
	"fmt"
	"time"
)

// Serve puts the present period on the sites and empties their records.
func (w *Web) Serve() {
	for _, p := range w.Pages {
		w.Sites[p.Site].Set(p.Path, p.Answer.page())
	}
	for i, site := range w.Sites {
		site.Set("/robots.txt", w.Robots[i].page())
		site.Forget()
	}
}

// page is the answer as a site gives it.
func (a Answer) page() Page {
	switch {
	case a.Fault == ResetByPeer:
		return Reset("")
	case a.Fault == Closed:
		return Wire("")
	case a.Status == 200:
		return Page{Body: a.Body.Text, ETag: a.ETag, Modified: a.Modified}
	case a.Location != "":
		return Page{Status: a.Status, Header: map[string]string{"Location": a.Location}}
	}
	p := Page{Status: a.Status, Body: fmt.Sprintf("status %d", a.Status), Header: map[string]string{}}
	if a.RetryAfter > 0 {
		p.Header["Retry-After"] = fmt.Sprint(int(a.RetryAfter / time.Second))
	}
	return p
}

func (r Robots) page() Page {
	switch r.Status {
	case 0:
		return Wire("")
	case 200:
		return Page{Type: "text/plain", Body: r.text()}
	}
	return Page{Status: r.Status, Type: "text/plain", Body: "no"}
}

// answers304 is how a site judges a conditional request, as Page.unchanged does: by the entity tag when one
// is given, else by the date.
func (a Answer) answers304(etag string, since time.Time) bool {
	if a.Status != 200 {
		return false
	}
	if etag != "" {
		return a.ETag != "" && etag == a.ETag
	}
	return !since.IsZero() && !a.Modified.IsZero() && !a.Modified.After(since)
}

// requestsOf is how often each path of a site was asked for, and how often conditionally, robots.txt aside.
func requestsOf(site *Site) (all, conditional map[string]int) {
	all, conditional = make(map[string]int), make(map[string]int)
	for _, r := range site.Requests() {
		if r.Path == "/robots.txt" {
			continue
		}
		all[r.Path]++
		if r.Conditional() {
			conditional[r.Path]++
		}
	}
	return all, conditional
}

package e2e

// modeCases returns the ways in which index -T reports OK for a page that was kept out of the index: its
// Server asked for another indexing mode of the same content (T-16), or the page itself did (406, then 200).
func modeCases() (list []realtimeCase) {
	add := func(x realtimeCase) { list = append(list, x) }
	with := func(steps ...func(*realtimeTest)) func(*realtimeTest) {
		return func(p *realtimeTest) {
			for _, step := range steps {
				step(p)
			}
		}
	}
	crawled, merge := (*realtimeTest).crawled, func(p *realtimeTest) { p.index("-D") }
	page := func(path, text string) func(*realtimeTest) { return func(p *realtimeTest) { p.page(path, text) } }
	bare := func(path, text string) func(*realtimeTest) { return func(p *realtimeTest) { p.bare(path, text) } }
	const noindex = `<meta name="robots" content="noindex">not for searches`
	// forbidden lets a crawl find that a page forbids indexing. No other request does.
	forbidden := func(p *realtimeTest) {
		p.says("/b", noindex)
		p.crawled()
		p.says("/b", "apple pie")
	}
	realtime := func(paths ...string) func(*realtimeTest) { return func(p *realtimeTest) { p.realtime(paths...) } }
	rules := func(sets string) func(*realtimeTest) { return func(p *realtimeTest) { p.rules(sets) } }
	// hidden removes a page from the index by another mode and allows it again.
	hidden := func(path string) func(*realtimeTest) { return with(rules("Index no"), realtime(path), rules("")) }

	for _, sent := range []struct {
		how string
		put func(path, text string) func(*realtimeTest)
	}{{"304", page}, {"an equal body", bare}} {
		one := sent.put("/b", "apple pie")
		two := with(sent.put("/a", "apple pie"), one)
		for _, where := range []struct {
			name string
			put  func(*realtimeTest)
		}{{"waits", crawled}, {"is merged", with(crawled, merge)}, {"is in real time", realtime("/a", "/b")}} {
			name := ", " + sent.how + ", where the group " + where.name
			add(realtimeCase{
				name: "a clone in another mode" + name, rule: "T-16", path: "/b", finds: []string{"/a"},
				before: with(two, where.put, rules("Follow no")),
			})
			add(realtimeCase{
				name: "an original in another mode" + name, rule: "T-16", path: "/a", finds: []string{"/b"},
				before: with(two, where.put, rules("Follow no")),
			})
			add(realtimeCase{
				name: "a clone that was hidden" + name, rule: "T-16", path: "/b", finds: []string{"/a"},
				before: with(two, where.put, hidden("/b")),
			})
			add(realtimeCase{
				name: "an original that was hidden" + name, rule: "T-16", path: "/a", finds: []string{"/b"},
				before: with(two, where.put, hidden("/a")),
			})
		}
		add(realtimeCase{
			name: "hidden meanwhile, " + sent.how, rule: "T-16", path: "/b",
			before: with(one, crawled, merge), beside: hidden("/b"),
		})
		add(realtimeCase{
			name: "a clone that is hidden meanwhile, " + sent.how, rule: "T-16", path: "/b", finds: []string{"/a"},
			before: with(two, crawled, merge), beside: hidden("/b"),
		})
		add(realtimeCase{
			name: "an original that is hidden meanwhile, " + sent.how, rule: "T-16", path: "/a", finds: []string{"/b"},
			before: with(two, crawled, merge), beside: hidden("/a"),
		})
		add(realtimeCase{
			name: "a clone whose original is hidden meanwhile, " + sent.how, rule: map[string]string{"304": "T-02", "an equal body": "T-03"}[sent.how],
			path: "/b", before: with(two, crawled, merge), beside: hidden("/a"),
		})
		add(realtimeCase{
			name: "forbade it and does no more, " + sent.how, rule: "T-04", path: "/b",
			before: with(sent.put("/b", noindex), crawled, merge, one),
		})
		add(realtimeCase{
			name: "forbade it, and is a clone now, " + sent.how, rule: "T-01c", path: "/b", finds: []string{"/a"},
			before: with(sent.put("/a", "apple pie"), sent.put("/b", noindex), crawled, merge, one),
		})
		add(realtimeCase{
			name: "forbade it, and is an original now, " + sent.how, rule: "T-01o", path: "/a", finds: []string{"/b"},
			before: with(sent.put("/a", noindex), one, crawled, merge, sent.put("/a", "apple pie")),
		})
		add(realtimeCase{
			name: "forbade it, and a crawl finds that it does no more, " + sent.how, rule: "T-03", path: "/b",
			before: with(sent.put("/b", noindex), crawled, merge, one), beside: crawled,
		})
		add(realtimeCase{
			name: "forbids it meanwhile, and does no more, " + sent.how, rule: "T-16", path: "/b",
			before: with(one, crawled, merge), beside: forbidden,
		})
		add(realtimeCase{
			name: "a clone that forbids it meanwhile, and does no more, " + sent.how, rule: "T-16", path: "/b", finds: []string{"/a"},
			before: with(two, crawled, merge), beside: forbidden,
		})
	}
	return list
}

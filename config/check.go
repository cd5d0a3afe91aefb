package config

import "path/filepath"

// Check returns the problems of a sets.cnf and a spider.cnf that are not written yet: those that Load would find in them if they were in
// dir, without flags and environment.
func Check(dir string, sets, spider []byte) Errors {
	var errs Errors
	c := &Config{}
	lines, problems := parseBytes(filepath.Join(dir, setsName), sets, nil)
	for _, e := range problems {
		errs.add(e)
	}
	c.Sets = readSets(lines, &errs)

	lines, problems = parseBytes(filepath.Join(dir, spiderName), spider, nil)
	for _, e := range problems {
		errs.add(e)
	}
	held := map[string]directive{}
	for _, k := range spiderKeys {
		if k.def == "" {
			continue
		}
		if err := k.set(&c.Spider, defaultLine(k.name, k.def)); err != nil {
			panic("config: default of " + k.name + ": " + err.Error()) // the table is wrong; every test finds it
		}
	}
	for _, d := range lines {
		k, ok := findKey(spiderKeys, d.keyword)
		if !ok {
			errs.add(unknown(d, spiderName))
			continue
		}
		if err := k.set(&c.Spider, d); err != nil {
			errs.add(d.problem(k.name, err.Error()))
			continue
		}
		held[k.name] = d
	}
	checkWordLengths(&c.Spider, held, &errs)
	ownHosts(c, &errs)
	errs.sort()
	return errs
}

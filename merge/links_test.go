package merge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// linkPages gives pages 1 to n the same links, to pages 1 to links, as a site's navigation does.
func (w *world) linkPages(n, links int) {
	w.Helper()
	w.exec(`INSERT INTO urlword (url_id, site_id, url, status) SELECT u, 1 + u % 5, 'http://s' || 1 + u % 5 || '.example.org/' || u, 200
		FROM generate_series(1, $1::integer) u`, n)
	for k := range 16 {
		w.exec(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, hrefs) SELECT u, ARRAY(SELECT generate_series(1, $2::integer) EXCEPT SELECT u ORDER BY 1)
			FROM generate_series(1, $1::integer) u WHERE u %% 16 = $3`, k), n, links, k)
	}
}

// When a rule removes one link from all pages, each has a row that names it, and no other link is read.
func TestUnchangedPagesNameTheirLinksThemselves(t *testing.T) {
	const pages, links = 200, 50
	w := newWorld(t, storetest.New(t), 1, 0)
	w.linkPages(pages, links)
	w.exec(`INSERT INTO citation SELECT u, ARRAY(SELECT generate_series(1, $1::integer) EXCEPT SELECT u ORDER BY 1) FROM generate_series(1, $2::integer) u`, pages, links)
	w.exec(`INSERT INTO citation VALUES (1000, ARRAY(SELECT generate_series(1, $1::integer)))`, pages)
	w.exec(`INSERT INTO journal (run_id, url_id, site_id, status, links_removed, same_content) SELECT 1, url_id, site_id, 200, '{1000}', true FROM urlword`)
	s := w.store(w.dsn)
	defer s.Close()
	plan, err := s.PlanMerge(t.Context(), 1<<30, 0)
	if err != nil || len(plan.Ranges) != 1 {
		t.Fatal(plan, err)
	}
	err = s.MergeBatch(t.Context(), plan.Ranges[0], store.AnyChanges, func(b *index.MergeBatch) error {
		m := &batch{MergeBatch: b}
		if err := m.readJournal(t.Context()); err != nil {
			return err
		}
		if len(m.pairs) != pages || len(m.fresh) > 0 {
			t.Errorf("%d links are named, and of %d pages all are read", len(m.pairs), len(m.fresh))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum := w.merge(Options{}); sum.Links != pages {
		t.Errorf("%+v", sum)
	}
	w.wantReferrers(links, pages-1)
}

// When all links of pages are read, a batch holds no more links at once than MergeMemory allows.
func TestLinksOfManyPagesAreHeldInPortions(t *testing.T) {
	const pages, links = 1000, 50
	w := newWorld(t, storetest.New(t), 1, 0)
	w.linkPages(pages, links)
	w.exec(`UPDATE urlword SET status = 406`)
	w.exec(`INSERT INTO journal (run_id, url_id, site_id, status) SELECT 1, url_id, site_id, 406 FROM urlword`)
	w.exec(`CREATE TABLE grown (url_id integer, by integer)`)
	w.exec(`CREATE FUNCTION grow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		INSERT INTO grown VALUES (NEW.url_id, cardinality(NEW.referrers) - CASE TG_OP WHEN 'UPDATE' THEN cardinality(OLD.referrers) ELSE 0 END);
		RETURN NULL; END $$`)
	w.exec(`CREATE TRIGGER grow AFTER INSERT OR UPDATE ON citation FOR EACH ROW EXECUTE FUNCTION grow()`)
	lim := standard
	lim.links = 4000
	if sum := w.merge(Options{limits: &lim}); sum.Links != pages*links-links || sum.Batches != 1 {
		t.Errorf("%+v", sum)
	}
	// A page that a portion has brought to one target it has brought to all.
	held := w.rows(`SELECT max(by)::integer * $1::integer FROM grown`, links)[0][0].(int32)
	if most := int32(lim.links + 4*links); held > most {
		t.Errorf("%d links were held at once, want %d at most", held, most)
	}
	w.wantReferrers(links, pages-1)
}

// wantReferrers compares citation with its expected content: a number of rows, with a number of referrers
// each.
func (w *world) wantReferrers(targets, referrers int) {
	w.Helper()
	got := w.rows(`SELECT count(*), min(cardinality(referrers)), max(cardinality(referrers)) FROM citation`)[0]
	if want := []any{int64(targets), int32(referrers), int32(referrers)}; !slices.Equal(want, got) {
		w.Errorf("targets, least and most referrers: %v, want %v", got, want)
	}
}

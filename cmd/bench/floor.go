package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html"
	"golang.org/x/sync/errgroup"
)

// floorParallel is how many pages are fetched at once: the default HostLoad.
const floorParallel = 4

// The floor's tables: no keys, no constraints, compressed columns stored as they are, as ours.
const floorSchemaSQL = `
	CREATE TABLE pages (url_id integer, url text, crc text, title text, body bytea, hrefs text[]);
	CREATE TABLE words (word text, urls bytea);
	ALTER TABLE pages ALTER body SET STORAGE EXTERNAL;
	ALTER TABLE words ALTER urls SET STORAGE EXTERNAL`

// floorMain is the child process `bench floor`: the minimal code that does parts of the job for a list of URLs,
// one per line on standard input. It has no frontier, no rules, no state of documents and no second run.
func floorMain(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench floor", flag.ContinueOnError)
	dsn := f.String("dsn", "", "connection `URL`")
	if err := f.Parse(args); err != nil {
		return err
	}
	list, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	urls := strings.Fields(string(list))
	conn, err := pgx.Connect(ctx, *dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, floorSchemaSQL); err != nil {
		return err
	}

	collector := colly.NewCollector(colly.AllowURLRevisit(), colly.MaxBodySize(0))
	collector.WithTransport(&http.Transport{MaxIdleConnsPerHost: floorParallel})
	var next atomic.Int64
	rows := make(chan []any, floorParallel)
	fetchers, fetching := errgroup.WithContext(ctx)
	cutters := make([]*cutter, floorParallel)
	for i := range cutters {
		c := &cutter{words: map[string]*postings{}}
		cutters[i] = c
		fetchers.Go(func() error { return c.fetch(fetching, collector.Clone(), urls, &next, rows) })
	}
	copied := make(chan error, 1)
	go func() {
		_, err := conn.CopyFrom(ctx, pgx.Identifier{"pages"}, []string{"url_id", "url", "crc", "title", "body", "hrefs"},
			pgx.CopyFromFunc(func() ([]any, error) { return <-rows, nil })) // no row: closed
		for range rows { // after an error, so that no fetcher waits for ever
		}
		copied <- err
	}()
	err = fetchers.Wait()
	close(rows)
	if failed := <-copied; err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	all := cutters[0].words
	for _, c := range cutters[1:] {
		for word, p := range c.words {
			if q := all[word]; q != nil {
				q.blob = append(q.blob, p.blob...)
			} else {
				all[word] = p
			}
		}
	}
	return copyWords(ctx, conn, all)
}

// copyWords writes one blob per word.
func copyWords(ctx context.Context, conn *pgx.Conn, words map[string]*postings) error {
	blobs := make([][]any, 0, len(words))
	for word, p := range words {
		blobs = append(blobs, []any{word, p.blob})
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"words"}, []string{"word", "urls"}, pgx.CopyFromRows(blobs))
	return err
}

// floorIndexMain is the child process `bench floor-index`, the floor of a merge: it cuts the texts on standard
// input, each ended by a NUL, into words, keeps their postings in memory and copies them, one blob per word.
func floorIndexMain(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench floor-index", flag.ContinueOnError)
	dsn := f.String("dsn", "", "connection `URL`")
	if err := f.Parse(args); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, *dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, floorSchemaSQL); err != nil {
		return err
	}
	c := &cutter{words: map[string]*postings{}}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for document := int32(1); ; document++ {
		text, err := in.ReadBytes(0)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		c.begin(document)
		c.cut(text)
		if err != nil {
			return copyWords(ctx, conn, c.words)
		}
	}
}

// fetch takes URLs until there are none, and hands over a row of pages for each.
func (c *cutter) fetch(ctx context.Context, collector *colly.Collector, urls []string, next *atomic.Int64, rows chan<- []any) error {
	collector.SetRequestTimeout(time.Minute)
	var id int32
	collector.OnResponse(func(r *colly.Response) {
		body := r.Body
		sum := md5.Sum(body)
		title, hrefs := "", []string{}
		if strings.HasPrefix(r.Headers.Get("Content-Type"), "text/html") {
			title, hrefs = c.html(id, body)
		} else {
			c.begin(id)
			c.cut(body)
		}
		rows <- []any{id, r.Request.URL.String(), fmt.Sprintf("%x", sum), title, c.pack(body), hrefs}
	})
	for ctx.Err() == nil {
		n := next.Add(1)
		if n > int64(len(urls)) {
			return nil
		}
		id = int32(n)
		if err := collector.Visit(urls[n-1]); err != nil {
			return fmt.Errorf("%s: %w", urls[n-1], err)
		}
	}
	return ctx.Err()
}

// cutter cuts pages into words and keeps the postings of its fetcher's pages.
type cutter struct {
	words    map[string]*postings
	word     []byte
	document int32
	ordinal  uint16
	gzip     *gzip.Writer
}

// postings is the blob of a word: for each document its id (4 bytes), the number of positions (2) and the
// positions (2 each).
type postings struct {
	blob     []byte
	document int32 // the last one
	count    int   // where the blob has its number of positions
}

// pack compresses the body as pgseek does, at the same level.
func (c *cutter) pack(body []byte) []byte {
	var out bytes.Buffer
	if c.gzip == nil {
		c.gzip, _ = gzip.NewWriterLevel(&out, 3) // the level is valid
	} else {
		c.gzip.Reset(&out)
	}
	_, _ = c.gzip.Write(body) // a Buffer takes everything
	_ = c.gzip.Close()
	return out.Bytes()
}

func (c *cutter) begin(document int32) { c.document, c.ordinal = document, 0 }

// html is the single pass over a page.
func (c *cutter) html(document int32, body []byte) (title string, hrefs []string) {
	c.begin(document)
	z := html.NewTokenizer(bytes.NewReader(body))
	skip, inTitle := false, false
	hrefs = []string{}
	for {
		switch z.Next() {
		case html.ErrorToken:
			return title, hrefs
		case html.TextToken:
			if skip {
				continue
			}
			text := z.Text()
			if inTitle {
				title += string(text)
			}
			c.cut(text)
		case html.StartTagToken:
			name, more := z.TagName()
			skip = string(name) == "script" || string(name) == "style"
			inTitle = string(name) == "title"
			if string(name) != "a" {
				continue
			}
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if string(key) == "href" {
					hrefs = append(hrefs, string(value))
				}
			}
		case html.EndTagToken:
			skip, inTitle = false, false
		}
	}
}

// cut finds words by the simplest rule: runs of ASCII letters and digits, in lower case.
func (c *cutter) cut(text []byte) {
	for _, b := range text {
		switch {
		case 'a' <= b && b <= 'z' || '0' <= b && b <= '9':
			c.word = append(c.word, b)
		case 'A' <= b && b <= 'Z':
			c.word = append(c.word, b|0x20)
		case len(c.word) > 0:
			c.found()
		}
	}
	if len(c.word) > 0 {
		c.found()
	}
}

// found adds a position to the posting of a word.
func (c *cutter) found() {
	p := c.words[string(c.word)]
	if p == nil {
		p = &postings{}
		c.words[string(c.word)] = p
	}
	c.word = c.word[:0]
	if p.document != c.document {
		p.document = c.document
		p.blob = binary.LittleEndian.AppendUint32(p.blob, uint32(c.document))
		p.count = len(p.blob)
		p.blob = append(p.blob, 0, 0)
	}
	c.ordinal++
	p.blob = binary.LittleEndian.AppendUint16(p.blob, c.ordinal)
	binary.LittleEndian.PutUint16(p.blob[p.count:], binary.LittleEndian.Uint16(p.blob[p.count:])+1)
}

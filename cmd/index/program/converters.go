package program

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/pgseek/pgseek/convert"
	programs "github.com/pgseek/pgseek/convert/program"
)

// convertDisk is what the programs of a conversion may write to their directory.
const convertDisk = 1 << 30

// converters returns the ways in which documents are converted.
func (p *program) converters() *convert.Set {
	cfg := &p.cfg.Spider
	if p.place == nil {
		p.place = programs.NewPlace("")
	}
	o := convert.Options{Limit: cfg.IndexLimit, Installed: programs.Installed, Runner: programs.NewRunner(p.place, programs.Limits{
		Time: cfg.ConvertTimeOut, Memory: cfg.ConvertMemory, Output: cfg.IndexLimit, Disk: convertDisk, AtOnce: cfg.ConvertersAtOnce,
	})}
	for _, c := range p.cfg.Sets.Converters {
		o.Lines = append(o.Lines, convert.Line{
			From: c.From, To: c.To, Charset: c.Charset, Args: c.Args, Where: fmt.Sprintf("%s:%d", c.File, c.Line),
		})
	}
	return convert.New(o)
}

// tellMissing names the Converter lines whose programs are not installed.
func tellMissing(ctx context.Context, s *convert.Set) {
	for _, l := range s.Missing() {
		slog.WarnContext(ctx, "the program of a Converter line is not installed; the line counts for nothing", "line", l.Where, "program", l.Args[0],
			"type", l.From)
	}
}

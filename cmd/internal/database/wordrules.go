package database

import (
	"context"
	"log/slog"

	"github.com/pgseek/pgseek/document"
)

// WarnOfWordRules warns when the words of the index were cut by older rules than those of this program (wordrules.version).
func WarnOfWordRules(ctx context.Context, version int) {
	if version < document.WordRules {
		slog.WarnContext(ctx, "texts are cut into words by newer rules than those of the index; words that they cut otherwise are not found before it is rebuilt",
			"index", version, "program", document.WordRules, "remedy", "index --rebuild-index")
	}
}

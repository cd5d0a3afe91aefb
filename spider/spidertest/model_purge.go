package spidertest

import "time"

// respider is a complete run of index --respider.
type respider struct{ start time.Time }

package store

import (
	"fmt"
	"math"

	"github.com/jackc/pgx/v5/pgtype"
)

// URLID is a key of urlword and of every table about a URL. 0 means none.
type URLID int32

// SiteID is a key of sites, below 2^24. 0 means none.
type SiteID int32

// WordID is a key of wordurl. 0 means none.
type WordID int32

// RunID is a key of reindexing. 0 means none.
type RunID int32

// SubsetID is the key of a row of subsets.
type SubsetID int32

// ProcessID is a key of process. 0 means none.
type ProcessID int32

// Keys that are read and written by the hundred thousand implement the driver's scan interfaces. Without them
// the driver would use reflection for each value.

// ScanInt64 implements pgtype.Int64Scanner.
func (u *URLID) ScanInt64(v pgtype.Int8) error { return scanKey(u, v) }

// Int64Value implements pgtype.Int64Valuer.
func (u URLID) Int64Value() (pgtype.Int8, error) {
	return pgtype.Int8{Int64: int64(u), Valid: true}, nil
}

// ScanInt64 implements pgtype.Int64Scanner.
func (s *SiteID) ScanInt64(v pgtype.Int8) error { return scanKey(s, v) }

// Int64Value implements pgtype.Int64Valuer.
func (s SiteID) Int64Value() (pgtype.Int8, error) {
	return pgtype.Int8{Int64: int64(s), Valid: true}, nil
}

// ScanInt64 implements pgtype.Int64Scanner.
func (w *WordID) ScanInt64(v pgtype.Int8) error { return scanKey(w, v) }

// Int64Value implements pgtype.Int64Valuer.
func (w WordID) Int64Value() (pgtype.Int8, error) {
	return pgtype.Int8{Int64: int64(w), Valid: true}, nil
}

func scanKey[T ~int32](to *T, v pgtype.Int8) error {
	if !v.Valid || v.Int64 < math.MinInt32 || v.Int64 > math.MaxInt32 {
		return fmt.Errorf("cannot scan %v into %T", v, to)
	}
	*to = T(v.Int64)
	return nil
}

// keyList is the scan target of a column of keys, for the same reason.
type keyList[T ~int32] []T

// Keys returns list as a scan target.
func Keys[T ~int32](list *[]T) *keyList[T] { return (*keyList[T])(list) }

// SetDimensions implements pgtype.ArraySetter.
func (k *keyList[T]) SetDimensions(dimensions []pgtype.ArrayDimension) error {
	*k = nil
	n := 0
	for i, d := range dimensions {
		if i == 0 {
			n = 1
		}
		n *= int(d.Length)
	}
	if n > 0 {
		*k = make([]T, n)
	}
	return nil
}

// ScanIndex implements pgtype.ArraySetter.
func (k *keyList[T]) ScanIndex(i int) any { return &(*k)[i] }

// ScanIndexType implements pgtype.ArraySetter.
func (k *keyList[T]) ScanIndexType() any { return new(T) }

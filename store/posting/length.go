package posting

import "math"

// lengthScale is the number of codes for a factor of e: neighboring codes differ by 6.5 %.
const lengthScale = 16

// LengthCode returns the length of a document, its number of positions, as the value of docdates.length: a byte, on a
// logarithmic scale. 0 means no positions.
func LengthCode(positions int) byte {
	return byte(min(math.Round(lengthScale*math.Log1p(float64(max(positions, 0)))), math.MaxUint8))
}

// CodedLength returns the length that a code stands for.
func CodedLength(code byte) float64 { return math.Expm1(float64(code) / lengthScale) }

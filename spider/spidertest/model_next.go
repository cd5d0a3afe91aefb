package spidertest

import "time"

// classOf is the class of an error.
func classOf(status int) string {
	switch {
	case status == 401:
		return "auth"
	case status == 404 || status == 410:
		return "gone"
	case status >= 700 && status < 800:
		return "unreachable"
	}
	return "server"
}

// ladder is how long a document with content waits after its nth error of a class in a row.
func ladder(class string, n int) time.Duration {
	waits := []time.Duration{day, 3 * day, 7 * day, 21 * day}
	switch class {
	case "unreachable":
		waits = []time.Duration{5 * time.Hour, day, 5 * day, 21 * day}
	case "robots":
		waits = []time.Duration{5 * day, 15 * day, 30 * day}
	}
	return waits[min(n, len(waits))-1]
}

// backoff is how long a URL waits that has nothing in the index.
func backoff(n int) time.Duration {
	return min(600*time.Second<<min(n-1, 20), 14*day)
}

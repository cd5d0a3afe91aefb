// Package failpoint lets tests kill, stall or fail the program at named places. It is active only in a build
// with the tag failpoint; in any other build Hit does nothing and costs nothing.
//
// The environment chooses one action for each process:
//
//	FAILPOINT=name:nth=kill        the process is killed when it reaches the place for the nth time, as by kill -9
//	FAILPOINT=name:nth=error       Hit returns an error
//	FAILPOINT=name:nth=panic       Hit panics
//	FAILPOINT=name:nth=sleep:ms    Hit sleeps
//	FAILPOINT=name:nth=wait:file   Hit creates the file and waits until it is removed: a test can stop the database meanwhile
//
// FAILPOINT_COUNT=file counts instead: it writes how often each place was reached, a line "name count" for
// each, whenever the counts change. So a test learns which places there are.
package failpoint

// Package failpoint lets tests end, stall or fail the program at named places. Only a build with the tag
// failpoint knows them; in any other one Hit does nothing and costs nothing.
//
// The environment says what happens, once a process:
//
//	FAILPOINT=name:nth=kill        the process is killed at the nth time that it comes to the place, as by kill -9
//	FAILPOINT=name:nth=error       Hit returns an error
//	FAILPOINT=name:nth=panic       Hit panics
//	FAILPOINT=name:nth=sleep:ms    Hit takes so long
//	FAILPOINT=name:nth=wait:file   Hit makes the file and waits until it is gone: time for a test to take the database down
//
// FAILPOINT_COUNT=file in place of it writes how often each place was come to, a line "name count" each, whenever the
// numbers change: so a test knows what there is to be tried.
package failpoint

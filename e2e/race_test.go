package e2e

import (
	"testing"

	"github.com/pgseek/pgseek/store/storetest"
)

// concurrentTests are the tests in which several programs, or several calls in one process, are at the same tables, sites
// or memory at the same time. make test runs these with the race detector, and the others without.
const concurrentTests = "^(TestConcurrentTestsExist|TestHistories|TestMixed|TestThreeProcesses|TestLateWriter|TestMergeWaitsForTheLowestOpenSchedule|" +
	"TestOneOfTwoLeaves|TestOnlyTheSameCrawlIsJoined|TestPauseOverProcesses|TestCloneGroupsUnderConcurrency|" +
	"TestRealtimeBesideCrawlAndMerge|TestRealtimeBesideMending|TestCheckBesideACrawlAndRebuild|TestOrphanPurgeWaitsForNoCrawl|" +
	"TestServerRestartUnderACrawl|TestSignalEndsCrawl|TestDamagedContentStopsNobodyElse|" +
	"TestWideCrawl|TestServerDiesUnderAWideCrawl)$"

// TestConcurrentTestsExist: no name in concurrentTests is out of date.
func TestConcurrentTestsExist(t *testing.T) { storetest.CheckSplit(t, concurrentTests) }

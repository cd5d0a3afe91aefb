// Package program runs the programs that convert documents: a chain of at most three commands, without a shell, under limits.
// The commands of a conversion run in a directory of its own, which is removed afterwards.
//
// # The supervisor
//
// A converter reads files that strangers wrote. It may hang, fork, fill the disk, or die. So a second process of our own binary
// stands between us and it: the supervisor. It runs the commands one after another, watches them, and kills all of their
// descendants at the end, also those that left their session: as a subreaper (PR_SET_CHILD_SUBREAPER) it becomes the
// parent of every descendant whose own parent has ended. It lives as long as a pipe to us is open. When we die, even by kill -9,
// the pipe closes, and the supervisor kills everything and removes the directory.
//
// Namespaces would do the same, but ordinary users and containers may not make them everywhere. Limits of a single process (memory,
// CPU, size of a file, core) are resource limits, set by a third process of our binary that then becomes the command. The
// supervisor watches what all of them use together: memory, processes, and the size of the directory.
//
// That third process also gives up root's rights (account.go): root's commands run as a user without a name, whose processes
// are limited in number. So a command that forks without end cannot fill the machine before the supervisor has killed it.
//
// A binary that imports this package becomes a supervisor by its first argument (init in supervisor.go), the binaries of tests
// included.
//
// # Environment
//
// PATH is ours, LANG is C.UTF-8, HOME is the directory. The rest of our environment may hold passwords and is not passed on.
package program

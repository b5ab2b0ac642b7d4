// Package servers starts real database servers for tests, on free ports of the loopback interface, with
// their data in a directory that goes away. A test binary that uses them calls Stop in its TestMain, when the
// tests have run. Where a server is not installed, the test ends as testkit.Absent says.
package servers

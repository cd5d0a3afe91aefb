// Package shape reads the SQL statements of the programs and checks that a distributed PostgreSQL could run them. It does
// not need one. CONTRIBUTING.md has the rules.
//
// The statements come from the Go sources, so each one is checked, whether or not a test runs it. Views and functions come from
// docs/schema.sql, and the families of the tables from their comments there. The reading of a statement is small: it
// knows clauses, tables, sub-selects, CTEs and equations, not types or operators. Tables are tied when equations
// that hold for all rows make their columns equal. What a distributed database would evaluate first and send to its
// nodes as a result (MATERIALIZED, a sub-select that is not correlated, one with LIMIT or GROUP BY in FROM) is checked for itself.
package shape

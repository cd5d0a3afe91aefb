package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Health is what a server says about itself and how far it is.
type Health struct {
	Standby  bool   // in recovery: read-only
	Cluster  int64  // system identifier, which a cluster and its physical copies share
	Database string // name
	// Written is the end of the WAL that a primary has written or a standby has applied, Received that of the WAL that it has.
	// They count bytes and are comparable between a primary and its standbys.
	Written, Received int64
	Timeline          int64         // of a primary: grows with each promotion; 0 = it is a standby
	Applied           time.Duration // of a standby: age of the last transaction that it has applied, by the clocks of both servers; 0 = unknown
}

// pg_walfile_name is refused in recovery. The first eight digits of the name are the timeline.
const healthSQL = `
	SELECT /* store.Health */ r.standby, (SELECT system_identifier FROM pg_control_system()), current_database(),
		(CASE WHEN r.standby THEN coalesce(pg_last_wal_replay_lsn(), '0/0') ELSE pg_current_wal_lsn() END - '0/0')::bigint,
		(CASE WHEN r.standby THEN coalesce(pg_last_wal_receive_lsn(), '0/0') ELSE pg_current_wal_lsn() END - '0/0')::bigint,
		CASE WHEN r.standby THEN 0 ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END,
		coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8
	FROM (SELECT pg_is_in_recovery() AS standby) r`

// A Probe asks a server for its health on a connection of its own, so it neither waits for the connections of the pool nor takes
// one of them. It is not for concurrent use.
type Probe struct {
	db   *DB
	conn *pgx.Conn
}

// Probe returns a probe of the server.
func (s *DB) Probe() *Probe { return &Probe{db: s} }

// Ask asks the server once. After an error the next call connects again.
func (p *Probe) Ask(ctx context.Context) (h Health, err error) {
	if p.conn == nil {
		if p.conn, err = pgx.ConnectConfig(ctx, p.db.Pool.Config().ConnConfig); err != nil {
			p.conn = nil
			return h, fmt.Errorf("probe: %w", err)
		}
		if p.db.role != "" {
			_, err = p.conn.Exec(ctx, takeRoleSQL, p.db.role, false)
		}
	}
	var applied float64
	if err == nil {
		err = p.conn.QueryRow(ctx, healthSQL).Scan(&h.Standby, &h.Cluster, &h.Database, &h.Written, &h.Received, &h.Timeline, &applied)
	}
	if err != nil {
		p.Close()
		return h, fmt.Errorf("probe: %w", err)
	}
	h.Received = max(h.Received, h.Written)
	h.Applied = time.Duration(max(applied, 0) * float64(time.Second))
	return h, nil
}

// Close closes the connection.
func (p *Probe) Close() {
	if p.conn != nil {
		CloseConn(p.conn)
		p.conn = nil
	}
}

/** The counts of all connections of a server, in one row. */
interface CountedRow {
  pid: number
  server_most: number
  is_superuser: boolean
  role_most: number
  database_most: number
  server_used: number
  role_used: number
  database_used: number
}

/** The maximum and the present number of connections, of all applications together. */
export interface ConnectionBound {
  of: 'server' | 'role' | 'database'
  most: number
  used: number
}

/** The bounds that apply to a connection, the narrowest first. A pooler in between hides them. */
export type ConnectionRoom =
  | { isPooled: true }
  | { isPooled: false; bounds: readonly [ConnectionBound, ...ConnectionBound[]] }

/**
 * The share of connections that Latchkey uses where no ceiling is set. The rest is for other
 * applications.
 */
const share = 0.8

/**
 * Returns the number of connections of a bound that all pools may use, together with other
 * connections.
 */
export const shareOf = ({ most }: Pick<ConnectionBound, 'most'>): number => Math.floor(most * share)

/**
 * Returns the number of connections before the last fifth of the narrowest bound; negative within
 * it.
 */
export const roomIn = (bound: ConnectionBound): number => shareOf(bound) - bound.used

/**
 * Counts connections. A role without `pg_read_all_stats` sees only the database and role of other
 * roles' connections.
 *
 * @see PostgreSQL documentation, 28.2.3 `pg_stat_activity`, 20.3.1 `reserved_connections`
 */
export const countConnections = `select pg_catalog.pg_backend_pid() as pid,
  pg_catalog.current_setting('max_connections')::int
    - coalesce(pg_catalog.current_setting('superuser_reserved_connections', true)::int, 0)
    - coalesce(pg_catalog.current_setting('reserved_connections', true)::int, 0) as server_most,
  r.rolsuper as is_superuser, r.rolconnlimit as role_most, d.datconnlimit as database_most,
  count(a.pid)::int as server_used,
  count(a.pid) filter (where a.usesysid = r.oid)::int as role_used,
  count(a.pid) filter (where a.datid = d.oid)::int as database_used
from pg_catalog.pg_roles r
join pg_catalog.pg_database d on d.datname = pg_catalog.current_database()
left join pg_catalog.pg_stat_activity a on a.usesysid is not null and a.datid is not null
  and coalesce(a.backend_type, 'client backend') = 'client backend'
where r.rolname = session_user
group by r.rolsuper, r.rolconnlimit, d.datconnlimit`

/**
 * Reads the row of {@link countConnections}.
 *
 * @param processId the id that the server announced for the connection: a pooler announces another
 *   one than PostgreSQL reports.
 */
export function readRoom(row: unknown, processId: number | null): ConnectionRoom {
  const counted = row as CountedRow | undefined
  if (!counted || counted.pid !== processId) return { isPooled: true }
  const server = { of: 'server', most: counted.server_most, used: counted.server_used } as const
  const limited = [
    { of: 'role', most: counted.role_most, used: counted.role_used },
    { of: 'database', most: counted.database_most, used: counted.database_used },
  ] as const
  // -1 means no limit. Limits do not apply to superusers.
  const own = limited.filter(({ most }) => most >= 0 && !counted.is_superuser)
  const [first = server, ...rest] = [server, ...own].toSorted((a, b) => roomIn(a) - roomIn(b))
  return { isPooled: false, bounds: [first, ...rest] }
}

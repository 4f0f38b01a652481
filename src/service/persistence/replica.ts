import pg from 'pg'
import type { ResolvedDatabase } from '../../platform/config/sections/database.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'
import type { Replica, ReplicaState } from '../../platform/sql/database.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { describeConnectError } from './describe-connect-error.ts'
import type { OpenDatabase } from './open-database.ts'
import { postgresDriver } from './postgres.ts'
import { tracedQueryable } from './traced-database.ts'

/** The result of a check, with the reason where the replica is not used. */
export interface ReplicaReport {
  state: ReplicaState
  reason: string | null
}

export interface OpenReplica extends Replica {
  /** Waits for the first check, for a few seconds at most, and returns the last result. */
  checked(): Promise<ReplicaReport>
  close(): Promise<void>
}

interface Needs {
  config: ResolvedDatabase & { replicaUrl: string }
  /** Statements of the primary. */
  primary: Pick<OpenDatabase, 'sql' | 'names'>
  logger: Logger
  telemetry: Telemetry | null
}

/** The time from the end of a check to the next one. */
const pauseMs = 1_000
/** The timeouts of a check, at the primary and at the replica. */
const patienceMs = { primary: 1_000, replica: 2_000 }
/** The time between two warnings about statements that fail. */
const warningPauseMs = 60_000
/** The timeout for closing the connections. */
const closingMs = 1_000
/** The first check waits for a replica that is behind by milliseconds. */
const firstAttempts = { count: 5, pauseMs: 100 }

/** Adds the configured replica, if there is one, which is closed with the database. */
export async function withReplica(
  database: OpenDatabase,
  config: ResolvedDatabase,
  needs: Pick<Needs, 'logger' | 'telemetry'>,
): Promise<OpenDatabase> {
  const { url, replicaUrl } = config
  if (url === null || replicaUrl === null) return database
  const replica = await openReplica({
    ...needs,
    config: { ...config, replicaUrl },
    primary: database,
  })
  return {
    ...database,
    replica,
    close: async () => {
      try {
        await replica.close()
      } finally {
        await database.close()
      }
    },
  }
}

/**
 * Opens a streaming replica and checks it every second: on a connection of its own, so that slow
 * statements do not delay the check.
 *
 * The replica is used while it has replayed a position of the write-ahead log that the primary had
 * at most `replicaMaxLagSeconds` ago. Times of the servers are not compared, and a replica that is
 * cut off from the primary is not taken for one of an idle primary.
 *
 * A statement that fails at the replica, or waits there when a check fails, is sent to the primary.
 */
export async function openReplica({
  config,
  primary,
  logger,
  telemetry,
}: Needs): Promise<OpenReplica> {
  const connection = await postgresDriver({ ...config, url: config.replicaUrl })(
    config,
    primary.names,
  )
  const sql = telemetry ? tracedQueryable(connection.sql, telemetry) : connection.sql
  const age = createAge(config.replicaMaxLagSeconds * 1000)
  const probe = createProbe(config.replicaUrl)
  /** The statements that run on the replica: functions that end the wait for it. */
  const running = new Set<(error: Error) => void>()
  let report: ReplicaReport | null = null
  let warnedAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  const examine = async (attempts: number): Promise<ReplicaReport> => {
    const at = performance.now()
    const own = await ownPosition(primary.sql)
    if (own) age.note({ ...own, at })
    try {
      const found = await probe.read()
      if (own && !isCopyOf(own, found)) {
        return { state: 'behind', reason: 'it is no replica of the primary' }
      }
      age.confirm(found.position)
    } catch (error) {
      return { state: 'unreachable', reason: reasonOf(error, config.replicaUrl) }
    }
    if (age.isWithinBound()) return { state: 'ok', reason: null }
    if (attempts > 1) {
      await new Promise((resolve) => setTimeout(resolve, firstAttempts.pauseMs))
      return examine(attempts - 1)
    }
    const bound = `${config.replicaMaxLagSeconds} s`
    return { state: 'behind', reason: `its data is older than ${bound}, or of unknown age` }
  }

  const check = async (): Promise<ReplicaReport> => {
    const result = await examine(report ? 1 : firstAttempts.count)
    if (isClosed) return result
    const before = report?.state ?? 'ok'
    report = result
    if (result.state === 'unreachable') {
      for (const giveUp of running) giveUp(new Error('the replica does not respond'))
    }
    if (result.state !== 'ok' && before !== result.state) {
      const { state, reason } = result
      logger.warn({ replica: state, reason }, 'the replica is not used; the primary is read')
    } else if (result.state === 'ok' && before !== 'ok') {
      logger.info({}, 'the replica is used again')
    }
    timer = setTimeout(() => void check(), pauseMs).unref()
    return result
  }
  const first = check()

  const onReplica: Queryable['query'] = (one, values) =>
    new Promise((resolve, reject) => {
      running.add(reject)
      sql
        .query(one, values)
        .then(resolve, reject)
        .finally(() => running.delete(reject))
    })
  const noteFailure = (err: unknown) => {
    const now = performance.now()
    if (isClosed || now - warnedAt < warningPauseMs) return
    warnedAt = now
    logger.warn({ err }, 'a statement failed at the replica; the primary is read')
  }
  const onPrimary: Queryable['query'] = (one, values) => {
    telemetry?.count('auth.replica.skips', noAttributes)
    return primary.sql.query(one, values)
  }

  return {
    sql: {
      table: primary.sql.table,
      query: async (one, values) => {
        if (!report) await first
        if (report?.state !== 'ok' || !age.isWithinBound()) return onPrimary(one, values)
        // Whatever the reason is, such as a conflict with the recovery, the primary decides.
        return onReplica(one, values).catch((error) => {
          noteFailure(error)
          return onPrimary(one, values)
        })
      },
    },
    inTurnOf: connection.inTurnOf ?? ((_, work) => work()),
    state: () => report?.state ?? null,
    checked: async () => report ?? (await first),
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      probe.close()
      // Its statements were sent to the primary, too: a silent one is not waited for.
      await withinTime(connection.close(), closingMs, () => new Error('late')).catch(() => {})
    },
  }
}

const noAttributes = {}

/** A position in the write-ahead log, and the server that it was read from. */
interface Position {
  /** The number of bytes since the start of the log. */
  position: number
  isReplica: boolean
  /** Identifies the server and its copies. */
  system: string
  /** Identifies the database within them. */
  database: string
  /** Identifies the running server. */
  startedAt: string
}

/** A replica reports the position up to which it has replayed the log. */
const readPosition = `
  select jsonb_build_object(
    'position', pg_catalog.pg_wal_lsn_diff(
      case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
        else pg_catalog.pg_current_wal_lsn() end, '0/0')::text,
    'isReplica', pg_catalog.pg_is_in_recovery(),
    'system', (select system_identifier::text from pg_catalog.pg_control_system()),
    'database', (select oid::text from pg_catalog.pg_database
      where datname = pg_catalog.current_database()),
    'startedAt', pg_catalog.date_part('epoch', pg_catalog.pg_postmaster_start_time())::text
  ) as read`

interface PositionRow {
  read: Omit<Position, 'position'> & { position: string | null }
}

const readOwnPosition = statement<object, PositionRow>('read_own_position', () => readPosition, {
  unprepared: 'it is short, and runs once a second',
})

/** Returns the position of the primary; null while it is not available. */
async function ownPosition(sql: Queryable): Promise<Position | null> {
  const late = () => new Error('no response')
  try {
    const rows = await withinTime(sql.query(readOwnPosition, {}), patienceMs.primary, late)
    const own = toPosition(rows[0])
    return own.isReplica ? null : own
  } catch {
    return null
  }
}

function toPosition(row: PositionRow | undefined): Position {
  if (!row || row.read.position === null) throw new Error('its position is unknown')
  return { ...row.read, position: Number(row.read.position) }
}

/** A read-only address of a cluster may lead to the primary while there is no replica. */
const isCopyOf = (
  primary: Position,
  { isReplica, system, database, startedAt }: Position,
): boolean =>
  system === primary.system &&
  database === primary.database &&
  (isReplica || startedAt === primary.startedAt)

/** Tracks the age of the replica's data by positions of the primary. */
function createAge(maxMs: number) {
  let notes: { position: number; at: number }[] = []
  let confirmedAt = Number.NEGATIVE_INFINITY
  return {
    note: (own: { position: number; at: number }): void => {
      notes = [...notes.filter(({ at }) => own.at - at <= maxMs), own]
    },
    /** Sets the age to that of the newest note that the replica has reached. */
    confirm: (position: number): void => {
      const reached = notes.findLast((note) => note.position <= position)
      if (reached) confirmedAt = Math.max(confirmedAt, reached.at)
    },
    isWithinBound: () => performance.now() - confirmedAt <= maxMs,
  }
}

/** Reads the position of the replica on one connection, which is opened again after an error. */
function createProbe(url: string) {
  let client: pg.Client | null = null
  const leave = (failed: pg.Client): void => {
    if (client === failed) client = null
    failed.end().catch(() => {})
  }
  const open = async (): Promise<pg.Client> => {
    const opened = new pg.Client({
      connectionString: url,
      application_name: 'latchkey replica check',
      connectionTimeoutMillis: patienceMs.replica,
      keepAlive: true,
    })
    client = opened
    opened.on('error', () => leave(opened))
    await opened.connect()
    ;(opened as pg.Client & { unref(): void }).unref()
    return opened
  }
  const query = async (): Promise<Position> => {
    const used = client ?? (await open())
    const { rows } = await used.query<PositionRow>(readPosition)
    return toPosition(rows[0])
  }
  return {
    read: async (): Promise<Position> => {
      try {
        const late = () => new Error('timeout expired')
        return await withinTime(query(), patienceMs.replica, late)
      } catch (error) {
        if (client) leave(client)
        throw error
      }
    },
    close: () => {
      if (client) leave(client)
    },
  }
}

function reasonOf(error: unknown, url: string): string {
  const { code } = Object(error)
  if (error instanceof pg.DatabaseError && code?.startsWith('42')) return error.message
  return describeConnectError(error, url).message
}

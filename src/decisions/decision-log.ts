import type { Clock } from '../kit/clock.ts'
import { orderedUuids } from '../kit/uuid.ts'
import { describeFault } from '../observability/describe-fault.ts'
import type { Logger } from '../observability/logger.ts'
import type { Queryable } from '../sql/queryable.ts'
import { rowsOf } from '../sql/tables.ts'
import type { Decision } from './decision.ts'
import { insertDecisions } from './insert-decisions.sql.ts'

/** A request about which something was decided. */
export interface DecidedRequest {
  requestId: string
  endpoint: string
  status: number
  /** What clients are told apart by; null where they cannot be. */
  client: string | null
  decisions: readonly Decision[]
}

/** Keeps what was decided, until it is written. */
export interface DecisionLog {
  /** Never waits, and never fails. */
  note(request: DecidedRequest): void
  /** Whether something waits to be written. */
  isFilled(): boolean
  /** Writes what waits. */
  flush(): Promise<void>
  /** Writes what waits, and takes nothing more. */
  close(): Promise<void>
}

interface Needs {
  sql: Queryable
  clock: Clock
  logger: Logger
  /** Whether no timer may be relied on: then somebody else has what waits written. */
  isFrozen?: boolean
}

const flushMs = 5_000
const keptMs = 24 * 60 * 60 * 1000
/** How much an instance keeps in a minute, and of one client by one rule: a flood costs neither room nor the reasons of others. */
const perMinute = { all: 600, alike: 10 }
const decisionsOfRequest = 4

/** Opens the log: what is noted is written together with what else was, off the path of requests. */
export function openDecisionLog({ sql, clock, logger, isFrozen = false }: Needs): DecisionLog {
  let waiting: ReturnType<typeof rowOf>[] = []
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const admit = createSampling()
  // Of one request, what was decided first is told first.
  const nextId = orderedUuids()

  const rowOf = (
    { requestId, endpoint, status }: DecidedRequest,
    { kind, rule }: Decision,
    now: Date,
  ) => ({
    id: nextId(now),
    request_id: requestId,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + keptMs).toISOString(),
    endpoint,
    status,
    kind,
    rule,
  })
  const write = async (): Promise<void> => {
    const rows = waiting
    waiting = []
    if (rows.length === 0) return
    try {
      await sql.query(insertDecisions, { decisionRows: rowsOf('decisions', ...rows) })
    } catch (error) {
      logger.warn({ lost: rows.length, fault: describeFault(error) }, 'decisions were not kept')
    }
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }
  return {
    note: (request) => {
      if (isClosed || !admit(request)) return
      // Of one moment: the newest requests are told first, and the decisions of each in their order.
      const now = clock.now()
      for (const decision of request.decisions.slice(0, decisionsOfRequest)) {
        waiting.push(rowOf(request, decision, now))
      }
      if (!isFrozen) timer ??= setTimeout(() => void flush(), flushMs).unref()
    },
    isFilled: () => waiting.length > 0,
    flush,
    close: () => {
      isClosed = true
      return flush()
    },
  }
}

/** @returns whether what is known of a request is kept. */
function createSampling(): (request: DecidedRequest) => boolean {
  let minute = 0
  let all = 0
  const alike = new Map<string, number>()
  return ({ client, decisions: [first] }) => {
    const now = Math.floor(performance.now() / 60_000)
    if (now !== minute) {
      minute = now
      all = 0
      alike.clear()
    }
    if (all >= perMinute.all) return false
    if (client !== null) {
      const key = `${client} ${first?.rule}`
      const count = alike.get(key) ?? 0
      if (count >= perMinute.alike) return false
      alike.set(key, count + 1)
    }
    all += 1
    return true
  }
}

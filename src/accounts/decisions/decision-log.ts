import { networksOf } from '../../platform/kit/client-networks.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { orderedUuids } from '../../platform/kit/uuid.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import type { Decision } from './decision.ts'
import { insertDecisions } from './decisions.sql.ts'

/** A request with the decisions about it. */
export interface DecidedRequest {
  requestId: string
  endpoint: string
  status: number
  /** The key of the client; null where clients cannot be distinguished. */
  client: string | null
  decisions: readonly Decision[]
}

/** Collects decisions and stores them in batches. */
export interface DecisionLog {
  /** Adds decisions. It never waits, and never fails. */
  note(request: DecidedRequest): void
  /** Whether decisions wait to be stored. */
  isFilled(): boolean
  /** Stores the waiting decisions. */
  flush(): Promise<void>
  /** Stores the waiting decisions, and accepts no further ones. */
  close(): Promise<void>
}

interface Needs {
  sql: Queryable
  clock: Clock
  logger: Logger
  /**
   * Whether the process may be suspended, so that timers are unreliable. The caller then flushes
   * the log.
   */
  isFrozen?: boolean
}

const flushMs = 5_000
const keptMs = 24 * 60 * 60 * 1000
/**
 * The maximum number of decisions that an instance stores per minute, and of one client by one
 * rule. A flood neither fills the table nor displaces the decisions about other clients.
 */
const perMinute = { all: 600, alike: 10 }
/**
 * The part of it for one client, for each of the wider networks around it, and the part reserved
 * for new networks.
 */
const partOfClient = 1 / 4
const partOfNetwork = 3 / 8
const reservedPart = 1 / 5
const decisionsOfRequest = 4

/** Opens the log. It stores decisions in batches, outside of requests. */
export function openDecisionLog({ sql, clock, logger, isFrozen = false }: Needs): DecisionLog {
  let waiting: ReturnType<typeof rowOf>[] = []
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const admit = createSampling()
  // Ids keep the order of the decisions about one request.
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
      // One time for all: the newest requests are listed first, and the decisions of each in their
      // order.
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

/**
 * Creates the function that decides whether the decisions about a request are stored. A client and
 * the networks around it have parts of a minute's decisions, and the last fifth is reserved for
 * networks without stored decisions.
 */
function createSampling(): (request: DecidedRequest) => boolean {
  let minute = 0
  let all = 0
  const alike = new Map<string, number>()
  const ofNetworks = new Map<string, number>()

  const isRoomFor = (networks: readonly string[], isKnown: boolean): boolean => {
    const isNew = !ofNetworks.has(networks.at(-1) ?? '')
    if (all >= perMinute.all * (isNew ? 1 : 1 - reservedPart)) return false
    return (
      !isKnown ||
      networks.every((network, level) => {
        const part = level === 0 ? partOfClient : partOfNetwork
        return (ofNetworks.get(network) ?? 0) < perMinute.all * part
      })
    )
  }
  return ({ client, decisions: [first] }) => {
    const now = Math.floor(performance.now() / 60_000)
    if (now !== minute) {
      minute = now
      all = 0
      alike.clear()
      ofNetworks.clear()
    }
    const networks = client === null ? [''] : networksOf(client).map(({ key }) => key)
    if (!isRoomFor(networks, client !== null)) return false
    const key = `${client} ${first?.rule}`
    if (client !== null && (alike.get(key) ?? 0) >= perMinute.alike) return false
    all += 1
    countIn(alike, key)
    for (const network of networks) countIn(ofNetworks, network)
    return true
  }
}

const countIn = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1)

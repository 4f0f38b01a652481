import { networksOf } from '../../platform/kit/client-networks.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { orderedUuids } from '../../platform/kit/uuid.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import type { Decision } from './decision.ts'
import { insertDecisions } from './decisions.sql.ts'

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
/** The part of it that one client takes at most, one of the wider networks around it, and what is left to new networks. */
const partOfClient = 1 / 4
const partOfNetwork = 3 / 8
const reservedPart = 1 / 5
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

/**
 * Decides whether the decisions of a request are kept. A client and the networks around it have parts of a minute's
 * decisions, and the last fifth is left to networks of which none is kept yet.
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

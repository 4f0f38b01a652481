import type { TokenSizes } from '../credentials/access-tokens/issue-access-token.ts'
import type { KeyRing } from '../credentials/access-tokens/key-ring.ts'
import type { Providers } from '../credentials/external/open-providers.ts'
import type { Issuers } from '../credentials/external/protocol/issuers.ts'
import type { PasswordHasher } from '../credentials/passwords/password-hasher.ts'
import type { PasswordPolicy } from '../credentials/passwords/password-policy.ts'
import type { DatabaseHookSemaphore } from '../delivery/hooks/database-hook-semaphore.ts'
import type { IsDeliverable } from '../delivery/mail/check-deliverability.ts'
import type { DevelopmentMailbox } from '../delivery/outbox/development-mailbox.ts'
import type { Carriers } from '../delivery/outbox/message.ts'
import type { Outbox } from '../delivery/outbox/outbox.ts'
import type { SmsCarrier } from '../delivery/sms/sms.ts'
import type { SmsTraffic } from '../delivery/sms/sms-traffic.ts'
import type { RequireSolved } from '../limits/captcha/open-captcha.ts'
import type { LimitStore } from '../limits/limit-store.ts'
import type { LookupSemaphore } from '../limits/lookup-semaphore.ts'
import type { SendBudgets } from '../limits/watch-send-budgets.ts'
import type { Config } from '../platform/config/config.ts'
import { requestTimeout } from '../platform/errors/request-errors.ts'
import type { BodyBudget } from '../platform/http/body-budget.ts'
import type { RequestsInFlight } from '../platform/http/requests-in-flight.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { SingleFlight } from '../platform/kit/concurrency.ts'
import type { RootKeys } from '../platform/kit/derived-keys.ts'
import type { KeyedSemaphore } from '../platform/kit/keyed-semaphore.ts'
import type { OutgoingQueue } from '../platform/kit/outgoing-queue.ts'
import type { OutsideFetch } from '../platform/kit/outside-fetch.ts'
import type { Random } from '../platform/kit/random.ts'
import type { Requester, RequesterScope } from '../platform/kit/requester-scope.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import type { HostEntityManager, HostTransaction } from '../platform/sql/host-transaction.ts'
import type { PersonalTable } from '../platform/sql/personal-table.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { ResponseTimes } from './addresses/response-times.ts'
import type { AuditOperator } from './audit/audit-row.ts'
import type { Decision } from './decisions/decision.ts'
import type { DecisionLog } from './decisions/decision-log.ts'

/** The statements of a running transaction. */
export interface UnitOfWork {
  /** Runs statements inside the transaction. */
  sql: Queryable
}

export interface PoolLoad {
  used: number
  idle: number
  waiting: number
  /** The maximum number of connections of this process; null before they are counted. */
  ceiling: number | null
}

/**
 * The state of a replica. `behind`: its data is older than permitted, or of unknown age.
 */
export type ReplicaState = 'ok' | 'behind' | 'unreachable'

/** A replica of the database. */
export interface Replica {
  /**
   * Runs statements that only read, and on which nothing is decided: on the replica, or on the
   * primary while the replica is not usable.
   */
  sql: Queryable
  /** Runs work whose statements wait for a connection to the replica in the queue of a client. */
  inTurnOf<T>(client: Requester, work: () => T): T
  /** Returns the state at the last check; null before the first one. */
  state(): ReplicaState | null
}

export interface Database {
  /** Runs statements outside a transaction, each on any connection of the pool. */
  sql: Queryable
  /** Returns the migrations of this version that the database lacks. */
  pendingMigrations(): Promise<readonly string[]>
  /**
   * Returns the reason why the database rejects writes, such as a read-only database; null where it
   * accepts them.
   */
  writeFault(): Promise<string | null>
  /** Runs the work in a transaction that is rolled back when it throws. */
  transaction<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T>
  /**
   * Returns the milliseconds in which statements had no result because the database was
   * unavailable, in the outage that continues and in those of the last minute.
   */
  lostMs(): number
  /** Returns the connections at this moment. Absent for an embedded database. */
  load?(): PoolLoad
  /**
   * Runs work whose statements wait for a connection in the queue of a client. All other statements
   * are the service's own and wait in a queue of their own. Absent for an embedded database.
   */
  inTurnOf?<T>(client: Requester, work: () => T): T
  /** Absent where none is configured. */
  replica?: Replica
  /** Returns a unit of work inside the host's transaction. Only the host commits or rolls back. */
  join(host: HostEntityManager | HostTransaction): JoinedTransaction
}

/** The part of the host's transaction that flows use. */
export interface JoinedTransaction extends UnitOfWork {
  /** Runs work in it. It neither commits nor rolls back. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * The parts of one running service. There is one object per `createAuth`; no state is in modules.
 */
export interface Deps {
  config: Config
  database: Database
  clock: Clock
  /** Returns the time that replaces the database's, in tests; null for that of the database. */
  databaseNow(): Date | null
  random: Random
  keys: KeyRing
  tokenSizes: TokenSizes
  roots: RootKeys
  passwords: PasswordHasher
  passwordPolicy: PasswordPolicy
  limits: LimitStore
  /** The memory that request bodies share. */
  bodies: BodyBudget
  /** Serves requests up to a limit. */
  requestsInFlight: RequestsInFlight
  /** Null where no captchas are required. */
  captcha: RequireSolved | null
  sendBudgets: SendBudgets
  /** Delays responses to requests for messages. */
  responseTimes: ResponseTimes
  /**
   * Runs requests of one user a few at a time, by the user's id: those that wait for each other's
   * row would otherwise occupy every connection to the database.
   */
  callerSemaphore: KeyedSemaphore
  /** Runs lookups for requests without a session, a few at a time. */
  lookupSemaphore: LookupSemaphore
  /** Provides the client of the current request to the queues of outgoing requests. */
  requester: RequesterScope
  /** Bounds the HTTP hooks that requests cause. */
  hookQueue: OutgoingQueue
  /** Runs the hooks that are functions of the database, a few at a time. */
  databaseHookSemaphore: DatabaseHookSemaphore
  providers: Providers
  /** Renewals of provider tokens, each by the id of the identity. */
  renewals: SingleFlight
  /** The documents that OpenID issuers publish. */
  issuers: Issuers
  /** Sends requests to external providers whose URLs a request, a token or a document supplied. */
  outsideFetch: OutsideFetch
  /** Sends requests to URLs that OAuth clients state. */
  clientFetch: OutsideFetch
  outbox: Outbox
  /** Creates event ids, which sort in the order of the events. */
  eventId: (at: Date) => string
  /** Stores decisions about requests. */
  decisions: DecisionLog
  carriers: Carriers
  /** Checks email addresses before messages are sent to them; null where no check is configured. */
  isDeliverable: IsDeliverable | null
  /** Requests the SMS carrier to check a code; null where the service checks codes itself. */
  checkSmsCode: SmsCarrier['checkCode'] | null
  /**
   * Displays messages without a configured carrier, in development; null where every channel has
   * one.
   */
  mailbox: DevelopmentMailbox | null
  /** The channels whose messages go to the mailbox. They cost nothing, so they are not limited. */
  mailboxTakes: { email: boolean; phone: boolean }
  /** Grants access to the pages for development. Created at each start; null in production. */
  developerToken: string | null
  smsTraffic: SmsTraffic
  /**
   * Returns the number of worker processes of the server, and of those that accept requests; null
   * in a single process.
   */
  workers: (() => { count: number; ready: number }) | null
  /**
   * The personal data tables of the capabilities that every service contains, by their names in an
   * export.
   */
  builtInTables: Readonly<Record<string, PersonalTable>>
  /** Returns the personal data tables of registered capabilities, by their names in an export. */
  capabilityTables(): Promise<Readonly<Record<string, PersonalTable>>>
  logger: Logger
  /** Traces and metrics; null where neither is enabled. */
  telemetry: Telemetry | null
}

/**
 * Facts about a request, or about a call in code. Facts that few flows need are methods, which
 * compute them on demand. A getter in the literal would cost V8 a hidden class for each request,
 * and each of those keeps its request in memory long after the response.
 */
export interface RequestFacts {
  id: string
  /** The client's address; null where it is unknown. */
  ip: string | null
  /**
   * Returns the narrowest network of the client, or another key that identifies it; null where
   * clients cannot be distinguished. `networksOf` returns the wider networks.
   */
  clientKey(): string | null
  userAgent: string | null
  /** The user on whose behalf code calls a method of operators. */
  operator?: AuditOperator | null
  /** The audience in which users are looked up. */
  audience: string
  /**
   * Returns the base of links in mails: the service's own URL, or a permitted one that a proxy
   * named.
   */
  linkBase(): string
  /** Returns the languages that the client accepts: tags of BCP 47, the preferred ones first. */
  languages(): readonly string[]
  /** Whether code of the host calls a method, without a request over HTTP. */
  isCall?: boolean
  /**
   * Returns whether the response was sent before the work was done, because the work took too long.
   */
  isOver(): boolean
  /**
   * Records a decision for operators that the response does not show: one without a rejection, or
   * with another reason than the error code.
   */
  decided(decision: Decision): void
}

/** The context of a flow: the service's parts, and the unit of work of this request. */
export interface AuthContext extends Deps {
  request: RequestFacts
  sql: Queryable
  /**
   * Runs statements that only read, and on which nothing is decided, on the replica where there is
   * one. The same as `sql` without a replica, and in a transaction.
   */
  reader: Queryable
  /** Whether all writes join the host's transaction, which rolls them back if it fails. */
  isJoined: boolean
  /** Whether the statements run in a transaction, of the host or of the flow. */
  isInTransaction: boolean
  /** Runs the work in a transaction: the host's own when the context joined one, else a new one. */
  transaction<T>(work: (ctx: TransactionContext) => Promise<T>): Promise<T>
  /**
   * Runs a function after the transaction of this context has committed, and not at all when it
   * fails. Outside a transaction it runs at once; in the host's transaction, at the end of the
   * flow's own part.
   */
  afterCommit(run: () => void): void
}

export interface TransactionContext extends AuthContext, UnitOfWork {}

/** Creates the context of one request or call, in the host's transaction if one is given. */
export function createContext(
  deps: Deps,
  request: RequestFacts,
  host?: HostEntityManager | HostTransaction,
): AuthContext {
  const { database, limits } = inTurnOf(deps, request)
  const joined = host ? database.join(host) : null
  const isJoined = joined !== null
  const inUnit = (sql: Queryable, afterCommit: AuthContext['afterCommit']): TransactionContext => {
    const ctx: TransactionContext = {
      ...deps,
      database,
      limits,
      sql,
      reader: sql,
      request,
      isJoined,
      isInTransaction: true,
      transaction: (work) => work(ctx),
      afterCommit,
    }
    return ctx
  }
  if (joined) {
    return {
      ...inUnit(joined.sql, runNow),
      transaction: (work) =>
        withCompletions((afterCommit) => joined.run(() => work(inUnit(joined.sql, afterCommit)))),
    }
  }
  const sql = untilOver(database.sql, request)
  return {
    ...deps,
    database,
    limits,
    request,
    sql,
    reader: database.replica ? untilOver(database.replica.sql, request) : sql,
    isJoined,
    isInTransaction: false,
    transaction: (work) =>
      withCompletions((afterCommit) =>
        database.transaction(({ sql }) => work(inUnit(untilOver(sql, request), afterCommit))),
      ),
    afterCommit: runNow,
  }
}

/**
 * Returns the parts through which a request uses the database, in the queue of its client. Other
 * parts, such as the outbox, send statements of the service itself, even where a request causes
 * them.
 */
function inTurnOf(
  { database, limits }: Deps,
  request: RequestFacts,
): Pick<Deps, 'database' | 'limits'> {
  const { inTurnOf: run, replica } = database
  if (!run) return { database, limits }
  const inTurn = (sql: Queryable): Queryable => ({
    query: (one, values) => run(request, () => sql.query(one, values)),
    table: (name) => sql.table(name),
  })
  return {
    database: {
      ...database,
      sql: inTurn(database.sql),
      ...(replica && { replica: { ...replica, sql: inTurn(inTurnAtReplica(replica, request)) } }),
      transaction: (work) => run(request, () => database.transaction(work)),
    },
    limits: { take: (counted) => run(request, () => limits.take(counted)) },
  }
}

/** A statement that the replica fails waits for the primary in the queue of the client, too. */
const inTurnAtReplica = ({ sql, inTurnOf: run }: Replica, request: RequestFacts): Queryable => ({
  query: (one, values) => run(request, () => sql.query(one, values)),
  table: (name) => sql.table(name),
})

const runNow: AuthContext['afterCommit'] = (run) => run()

/** Runs a transaction, and after its commit the functions that it registered. */
async function withCompletions<T>(
  transaction: (afterCommit: AuthContext['afterCommit']) => Promise<T>,
): Promise<T> {
  const completions: (() => void)[] = []
  const result = await transaction((run) => completions.push(run))
  for (const run of completions) run()
  return result
}

/**
 * Returns a `Queryable` that begins no statement after the request has timed out. The client may
 * repeat the request by then, and must not meet the effect of the first one.
 */
const untilOver = (sql: Queryable, request: RequestFacts): Queryable => ({
  query: (one, values) =>
    request.isOver() ? Promise.reject(requestTimeout()) : sql.query(one, values),
  table: (name) => sql.table(name),
})

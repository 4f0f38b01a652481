import type { KeyRing } from '../credentials/access-tokens/key-ring.ts'
import type { TokenSizes } from '../credentials/access-tokens/watch-token-sizes.ts'
import type { Providers } from '../credentials/external/open-providers.ts'
import type { Issuers } from '../credentials/external/protocol/issuers.ts'
import type { PasswordHasher } from '../credentials/passwords/password-hasher.ts'
import type { PasswordPolicy } from '../credentials/passwords/password-policy.ts'
import type { IsDeliverable } from '../delivery/mail/check-deliverability.ts'
import type { DevelopmentMailbox } from '../delivery/outbox/development-mailbox.ts'
import type { Carriers } from '../delivery/outbox/message.ts'
import type { Outbox } from '../delivery/outbox/outbox.ts'
import type { SmsCarrier } from '../delivery/sms/sms.ts'
import type { SmsTraffic } from '../delivery/sms/sms-traffic.ts'
import type { RequireSolved } from '../limits/captcha/open-captcha.ts'
import type { LimitStore } from '../limits/limit-store.ts'
import type { SendBudgets } from '../limits/watch-send-budgets.ts'
import type { Config } from '../platform/config/config.ts'
import { requestTimeout } from '../platform/errors/request-errors.ts'
import type { BodyBudget } from '../platform/http/body-budget.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { RootKeys } from '../platform/kit/derived-keys.ts'
import type { OutgoingQueue } from '../platform/kit/outgoing-queue.ts'
import type { Random } from '../platform/kit/random.ts'
import type { Requester, RequesterScope } from '../platform/kit/requester-scope.ts'
import type { SingleFlight } from '../platform/kit/single-flight.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import type { HostEntityManager, HostTransaction } from '../platform/sql/host-transaction.ts'
import type { PersonalTable } from '../platform/sql/personal-table.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { Decision } from './decisions/decision.ts'
import type { DecisionLog } from './decisions/decision-log.ts'

/** What a running transaction offers. */
export interface UnitOfWork {
  /** Statements inside it. */
  sql: Queryable
}

export interface PoolLoad {
  used: number
  idle: number
  waiting: number
  /** Most connections that this process may open; null until they were counted. */
  ceiling: number | null
}

export interface Database {
  /** Statements outside a transaction, each on any connection of the pool. */
  sql: Queryable
  /** The steps of the schema that this version has and the database has not. */
  pendingMigrations(): Promise<readonly string[]>
  /** The reason why nothing can be stored, such as a read-only database; null where it can. */
  writeFault(): Promise<string | null>
  /** Runs the work in a transaction that is rolled back when it throws. */
  transaction<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T>
  /** The connections at this moment. Absent for an embedded database. */
  load?(): PoolLoad
  /**
   * Runs work whose statements wait for a connection in the turn of a client. All others are the service's own, which have a
   * place of their own. Absent for an embedded database.
   */
  inTurnOf?<T>(client: Requester, work: () => T): T
  /** A unit of work inside the host's transaction, which alone commits or rolls back. */
  join(host: HostEntityManager | HostTransaction): JoinedTransaction
}

/** The host's transaction, as far as it is ours. */
export interface JoinedTransaction extends UnitOfWork {
  /** Runs work in it; neither commits nor rolls back. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** What one running Latchkey consists of. There is one per `createAuth`; nothing is module state. */
export interface Deps {
  config: Config
  database: Database
  clock: Clock
  /** The clock in place of the database's, in tests; null for that of the database. */
  databaseClock: Clock | null
  random: Random
  keys: KeyRing
  tokenSizes: TokenSizes
  roots: RootKeys
  passwords: PasswordHasher
  passwordPolicy: PasswordPolicy
  limits: LimitStore
  /** The memory that bodies of requests share. */
  bodies: BodyBudget
  /** Null where no captchas are asked for. */
  captcha: RequireSolved | null
  sendBudgets: SendBudgets
  /** Names the client whose request is being served, to the queues of requests to other services. */
  requester: RequesterScope
  /** Bounds hooks on the web that requests cause. */
  hookQueue: OutgoingQueue
  providers: Providers
  /** Renewals of tokens of providers, each by the id of the identity. */
  renewals: SingleFlight
  /** What OpenID issuers publish. */
  issuers: Issuers
  outbox: Outbox
  /** Makes ids of events, in their order. */
  eventId: (at: Date) => string
  /** What was decided about requests. */
  decisions: DecisionLog
  carriers: Carriers
  /** Checks email addresses before they are mailed; null where nothing is to be checked. */
  isDeliverable: IsDeliverable | null
  /** Asks the carrier of SMS whether a code is right; null where codes are ours to check. */
  checkSmsCode: SmsCarrier['checkCode'] | null
  /** Shows, in development, what no configured carrier takes; null where there is one for all. */
  mailbox: DevelopmentMailbox | null
  /** Which messages go there. They cost nothing, so they are not limited. */
  mailboxTakes: { email: boolean; phone: boolean }
  /** Opens the pages that development alone shows. Made at each start; null in production. */
  developerToken: string | null
  smsTraffic: SmsTraffic
  /** The tables with personal data of the capabilities that every service contains, by their names in an export. */
  builtInTables: Readonly<Record<string, PersonalTable>>
  /** The tables with personal data of registered capabilities, by the names that an export has for them. */
  capabilityTables(): Promise<Readonly<Record<string, PersonalTable>>>
  logger: Logger
  /** Traces and figures; null where neither is switched on. */
  telemetry: Telemetry | null
}

/**
 * What is known of the request (or of the call in code) that asks for something. What few flows want is a
 * method, which finds it out. A getter in the literal would cost V8 a hidden class for each request, and
 * each of those keeps its request in memory long after the answer.
 */
export interface RequestFacts {
  id: string
  /** The client's address, or null where it is not known. */
  ip: string | null
  /**
   * The narrowest network of the client, or another key that identifies it; null where clients cannot be told
   * apart. `networksOf` returns the wider networks.
   */
  clientKey(): string | null
  userAgent: string | null
  /** The audience that users are looked up in. */
  audience: string
  /** Where links in mails lead: the service's own address, or a permitted one that a proxy named. */
  linkBase(): string
  /** Languages that the client reads: tags of BCP 47, the most wanted first. */
  languages(): readonly string[]
  /** Whether it was answered before it was done, since it took too long. */
  isOver(): boolean
  /** Notes what was decided without a refusal, or told otherwise than as the answer, for an operator who asks why. */
  decided(decision: Decision): void
}

/** Everything that a flow works with: the service's parts, and this request's unit of work. */
export interface AuthContext extends Deps {
  request: RequestFacts
  sql: Queryable
  /** Whether everything is written in the host's transaction, and goes with it should it fail. */
  isJoined: boolean
  /** Runs the work in a transaction: the host's own when the context joined one, else a new one. */
  transaction<T>(work: (ctx: TransactionContext) => Promise<T>): Promise<T>
  /**
   * Runs after the transaction of this context has committed, and not at all when it fails. Outside a transaction it
   * runs at once; in the host's transaction, at the end of our own part.
   */
  afterCommit(run: () => void): void
}

export interface TransactionContext extends AuthContext, UnitOfWork {}

/** Begins the context of one request or call, in the host's transaction if one is given. */
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
      request,
      isJoined,
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
  return {
    ...deps,
    database,
    limits,
    request,
    sql: untilOver(database.sql, request),
    isJoined,
    transaction: (work) =>
      withCompletions((afterCommit) =>
        database.transaction(({ sql }) => work(inUnit(untilOver(sql, request), afterCommit))),
      ),
    afterCommit: runNow,
  }
}

/**
 * Returns the parts through which a request uses the database, in the turn of its client. Other parts, such as the outbox,
 * send statements of the service itself, even where a request causes them.
 */
function inTurnOf(
  { database, limits }: Deps,
  request: RequestFacts,
): Pick<Deps, 'database' | 'limits'> {
  const { inTurnOf: run } = database
  if (!run) return { database, limits }
  return {
    database: {
      ...database,
      sql: {
        query: (one, values) => run(request, () => database.sql.query(one, values)),
        table: (name) => database.sql.table(name),
      },
      transaction: (work) => run(request, () => database.transaction(work)),
    },
    limits: { take: (counted) => run(request, () => limits.take(counted)) },
  }
}

const runNow: AuthContext['afterCommit'] = (run) => run()

/** Runs what a transaction has collected for after its commit. */
async function withCompletions<T>(
  transaction: (afterCommit: AuthContext['afterCommit']) => Promise<T>,
): Promise<T> {
  const completions: (() => void)[] = []
  const result = await transaction((run) => completions.push(run))
  for (const run of completions) run()
  return result
}

/** Statements of a request, of which none begins once it is over: whoever was told to come back would be met by its effect. */
const untilOver = (sql: Queryable, request: RequestFacts): Queryable => ({
  query: (one, values) =>
    request.isOver() ? Promise.reject(requestTimeout()) : sql.query(one, values),
  table: (name) => sql.table(name),
})

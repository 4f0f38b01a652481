import type { KeyRing } from './access-tokens/key-ring.ts'
import type { TokenSizes } from './access-tokens/watch-token-sizes.ts'
import type { RequireSolved } from './captcha/open-captcha.ts'
import type { Config } from './config/config.ts'
import type { Decision } from './decisions/decision.ts'
import type { DecisionLog } from './decisions/decision-log.ts'
import { requestTimeout } from './errors/request-errors.ts'
import type { Clock } from './kit/clock.ts'
import type { RootKeys } from './kit/derived-keys.ts'
import type { Random } from './kit/random.ts'
import type { SharedWork } from './kit/shared-work.ts'
import type { LimitStore } from './limits/limit-store.ts'
import type { SendBudgets } from './limits/watch-send-budgets.ts'
import type { DevelopmentMailbox } from './messages/development-mailbox.ts'
import type { IsDeliverable } from './messages/email/check-deliverability.ts'
import type { Carriers } from './messages/outbox/message.ts'
import type { Outbox } from './messages/outbox/outbox.ts'
import type { SmsCarrier } from './messages/sms/sms.ts'
import type { SmsTraffic } from './messages/sms/sms-traffic.ts'
import type { Logger } from './observability/logger.ts'
import type { Telemetry } from './observability/telemetry.ts'
import type { PasswordHasher } from './passwords/password-hasher.ts'
import type { PasswordPolicy } from './passwords/password-policy.ts'
import type { Providers } from './providers/open-providers.ts'
import type { Issuers } from './providers/protocol/issuers.ts'
import type { HostEntityManager, HostTransaction } from './sql/host-transaction.ts'
import type { PersonalTable } from './sql/personal-table.ts'
import type { Queryable } from './sql/queryable.ts'

/** What a running transaction offers. */
export interface UnitOfWork {
  /** Statements inside it. */
  sql: Queryable
}

export interface Database {
  /** Statements outside a transaction, each on any connection of the pool. */
  sql: Queryable
  /** The steps of the schema that this version has and the database has not. */
  pendingMigrations(): Promise<readonly string[]>
  /** Runs the work in a transaction that is rolled back when it throws. */
  transaction<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T>
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
  random: Random
  keys: KeyRing
  tokenSizes: TokenSizes
  roots: RootKeys
  passwords: PasswordHasher
  passwordPolicy: PasswordPolicy
  limits: LimitStore
  /** Null where no captchas are asked for. */
  captcha: RequireSolved | null
  sendBudgets: SendBudgets
  providers: Providers
  /** Renewals of tokens of providers, each by the id of the identity. */
  renewals: SharedWork
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
  /** What companions store about people, by the name that an export has for it: tables that are there by then. */
  companionTables(): Promise<Readonly<Record<string, PersonalTable>>>
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
  /** What limits per client are counted under; null where clients cannot be told apart. */
  clientKey(): string | null
  userAgent: string | null
  /** The audience that users are looked up in. */
  audience: string
  /** Where links in mails lead: the service's own address, or a permitted one that a proxy named. */
  linkBase(): string
  /** Languages that the client reads: tags of BCP 47, the most wanted first. */
  languages(): readonly string[]
  /**
   * Resolves once the request is there as a whole, its body too. Whoever holds back the body must not be
   * looked up before: what they may do would be decided long before it is done.
   */
  arrived(): Promise<void>
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
}

export interface TransactionContext extends AuthContext, UnitOfWork {}

/** Begins the context of one request or call, in the host's transaction if one is given. */
export function createContext(
  deps: Deps,
  request: RequestFacts,
  host?: HostEntityManager | HostTransaction,
): AuthContext {
  const joined = host ? deps.database.join(host) : null
  const inUnit = ({ sql }: UnitOfWork): TransactionContext => {
    const ctx: TransactionContext = {
      ...deps,
      sql,
      request,
      isJoined: joined !== null,
      transaction: (work) => (joined ? joined.run(() => work(ctx)) : work(ctx)),
    }
    return ctx
  }
  if (joined) return inUnit(joined)
  return {
    ...deps,
    request,
    sql: untilOver(deps.database.sql, request),
    isJoined: false,
    transaction: (work) =>
      deps.database.transaction(({ sql }) => work(inUnit({ sql: untilOver(sql, request) }))),
  }
}

/** Statements of a request, of which none begins once it is over: whoever was told to come back would be met by its effect. */
const untilOver = (sql: Queryable, request: RequestFacts): Queryable => ({
  query: async (one, values) => {
    if (request.isOver()) throw requestTimeout()
    return sql.query(one, values)
  },
  table: (name) => sql.table(name),
})

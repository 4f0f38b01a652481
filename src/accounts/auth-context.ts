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
import type { BodyBudget } from '../platform/http/body-budget.ts'
import type { RequestsInFlight } from '../platform/http/requests-in-flight.ts'
import type { ClientScope } from '../platform/kit/client-scope.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { SingleFlight } from '../platform/kit/concurrency.ts'
import type { RootKeys } from '../platform/kit/derived-keys.ts'
import type { KeyedSemaphore } from '../platform/kit/keyed-semaphore.ts'
import type { OutgoingQueue } from '../platform/kit/outgoing-queue.ts'
import type { OutsideFetch } from '../platform/kit/outside-fetch.ts'
import type { Random } from '../platform/kit/random.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import type { Database, UnitOfWork } from '../platform/sql/database.ts'
import type { PersonalTable } from '../platform/sql/personal-table.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { ResponseTimes } from './addresses/response-times.ts'
import type { DecisionLog } from './decisions/decision-log.ts'
import type { RequestFacts } from './request-facts.ts'

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
  clientScope: ClientScope
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

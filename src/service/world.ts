import type { Capability } from '../capabilities/capability.ts'
import type { Fetch } from '../credentials/external/protocol/request-provider.ts'
import type { HashingThreads } from '../credentials/passwords/hashing-threads.ts'
import type { MailResolver } from '../delivery/mail/mail-exchangers.ts'
import type { OpenLimitStore } from '../limits/limit-store.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { Random } from '../platform/kit/random.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import type { OpenDatabase } from './persistence/open-database.ts'
import type { Namespace } from './persistence/table-names.ts'
import type { WorkerGroup } from './worker-group.ts'

/** The environment of a service, which a test replaces. */
export interface World {
  clock?: Clock
  /**
   * The clock in place of the database's; null for that of the database. Default: `clock`, where
   * there is one.
   */
  databaseClock?: Clock | null
  random?: Random
  /** Sends requests to external providers. */
  fetch?: Fetch
  /** Resolves the hosts that accept the mail of a domain. */
  resolver?: MailResolver
  /**
   * Whether addresses and pending setup of development are printed at start. Our own server prints
   * its own text.
   */
  announces?: boolean
  /**
   * Whether requests whose host does not pass the peer's address cause a warning. Default: true.
   */
  watchesPeers?: boolean
  /** Whether settings that work, but perhaps not as intended, cause a warning. Default: true. */
  warnsAboutSettings?: boolean
  /**
   * Returns the name of a setting in the source of the configuration, where that is not its path.
   */
  nameOf?: (path: string) => string
  /** Returns the paths of the settings that the source of the configuration contains. */
  givenPaths?: () => ReadonlySet<string>
  /** Opens the database, in place of the configured one. */
  openDatabase?: (place: Namespace) => Promise<OpenDatabase>
  /**
   * Whether all responses are sent through `node:http`. Node's `fetch` is then loaded at its first
   * use, and not with the service.
   */
  respondsThroughNode?: boolean
  /** The parts of a running service that this one replaces with other settings. */
  parts?: RuntimeParts
  /** The worker processes that this one belongs to. */
  group?: WorkerGroup
  /** The capabilities that are registered so far: the list may grow while the service runs. */
  capabilities?: readonly Capability[]
}

/** The parts that are opened once in a process, also when settings change while it runs. */
export interface RuntimeParts {
  telemetry: Telemetry | null
  database: OpenDatabase
  threads: HashingThreads
  limits: OpenLimitStore
  close(): Promise<void>
}

/** The clock in place of the database's, or null. */
export const databaseClockOf = ({ clock, databaseClock }: World): Clock | null =>
  databaseClock === undefined ? (clock ?? null) : databaseClock

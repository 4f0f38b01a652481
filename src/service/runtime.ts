import { availableParallelism } from 'node:os'
import { createResponseTimes } from '../accounts/addresses/response-times.ts'
import type { Deps } from '../accounts/auth-context.ts'
import { openDecisionLog } from '../accounts/decisions/decision-log.ts'
import type { Capability } from '../capabilities/capability.ts'
import type { CapabilityServices } from '../capabilities/capability-host.ts'
import type { AccessTokenClaims } from '../credentials/access-tokens/claims.ts'
import { watchTokenSizes } from '../credentials/access-tokens/issue-access-token.ts'
import { keyEncryption, openKeyRing } from '../credentials/access-tokens/open-key-ring.ts'
import { openIssuers, openProviders } from '../credentials/external/open-providers.ts'
import { type Fetch, tracedFetch } from '../credentials/external/protocol/request-provider.ts'
import type { ProviderRegistry } from '../credentials/external/provider.ts'
import { warnOfSharedCallbacks } from '../credentials/external/warn-of-shared-callbacks.ts'
import {
  type HashingThreads,
  openHashingThreads,
} from '../credentials/passwords/hashing-threads.ts'
import { createPasswordHasher } from '../credentials/passwords/password-hasher.ts'
import { openPasswordPolicy } from '../credentials/passwords/password-policy.ts'
import { tracedThreads } from '../credentials/passwords/traced-threads.ts'
import { createDatabaseHookTurns } from '../delivery/hooks/database-hook-turns.ts'
import { openDeliverability } from '../delivery/mail/check-deliverability.ts'
import type { MailResolver } from '../delivery/mail/mail-exchangers.ts'
import { closeCarriers, openCarriers } from '../delivery/outbox/open-carriers.ts'
import { openOutbox } from '../delivery/outbox/outbox.ts'
import { watchOutbox } from '../delivery/outbox/watch-outbox.ts'
import { watchSmsTraffic } from '../delivery/sms/sms-traffic.ts'
import { signInWithPassword } from '../endpoints/token/sign-in-with-password.ts'
import { openCaptcha } from '../limits/captcha/open-captcha.ts'
import type { OpenLimitStore } from '../limits/limit-store.ts'
import { createLookupTurns } from '../limits/lookup-turns.ts'
import { openLimitStore } from '../limits/open-limit-store.ts'
import { watchSendBudgets } from '../limits/watch-send-budgets.ts'
import type { Config } from '../platform/config/config.ts'
import { serviceUnavailable } from '../platform/errors/request-errors.ts'
import { createBodyBudget } from '../platform/http/body-budget.ts'
import { createRequestsInFlight } from '../platform/http/requests-in-flight.ts'
import { cacheFolder } from '../platform/kit/cache-folder.ts'
import { type Clock, systemClock } from '../platform/kit/clock.ts'
import { createSingleFlight } from '../platform/kit/concurrency.ts'
import { extractRoots, type RootKeys } from '../platform/kit/derived-keys.ts'
import { createKeyedSemaphore } from '../platform/kit/keyed-semaphore.ts'
import { createOutgoingQueue, type OutgoingQueue } from '../platform/kit/outgoing-queue.ts'
import { openOutsideFetch } from '../platform/kit/outside-fetch.ts'
import { type Random, systemRandom } from '../platform/kit/random.ts'
import {
  createRequesterScope,
  pathOfRequester,
  type RequesterScope,
} from '../platform/kit/requester-scope.ts'
import { openKeptAliveFetch, safeFetch } from '../platform/kit/safe-fetch.ts'
import { orderedUuids } from '../platform/kit/uuid.ts'
import { describeFault } from '../platform/observability/describe-fault.ts'
import { type Logger, stderrLogger } from '../platform/observability/logger.ts'
import { openTelemetry } from '../platform/observability/open-telemetry.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import { notifyInstances } from '../platform/sql/announce-change.ts'
import type { AdminApi } from './api/admin-api.ts'
import type { AuthApi } from './api/auth-api.ts'
import { openCall } from './api/call-options.ts'
import { createAdminApi } from './api/create-admin-api.ts'
import { createAuthApi } from './api/create-auth-api.ts'
import { createOutboxApi, type OutboxApi } from './api/outbox-api.ts'
import { type DueWork, runDueWork } from './api/run-due-work.ts'
import type { StepUp } from './api/step-up.ts'
import { tracedCalls } from './api/trace-calls.ts'
import { requireLiveGrant, requireViewer, type Viewer } from './api/viewer.ts'
import type { Background } from './background/background.ts'
import { openBackground } from './background/open-background.ts'
import { createWakeScopes } from './background/wake-scopes.ts'
import { builtInCapabilities, builtInTables, openOutlets } from './capabilities.ts'
import { type App, createApp } from './create-app.ts'
import { addressOfMailbox, announceMailbox } from './pages/mailbox/mailbox-address.ts'
import { openPages } from './pages/open-pages.ts'
import { announceEmbeddedDatabase } from './persistence/announce-embedded-database.ts'
import { type CapabilitySchemas, capabilitySchemas } from './persistence/capability-schemas.ts'
import {
  developmentRoot,
  embeddedDataFolder,
  makeDevelopmentFolder,
} from './persistence/development-folder.ts'
import { embeddedPostgresDriver } from './persistence/embedded-postgres.ts'
import { type ChangeListener, listenForChanges } from './persistence/listen-for-changes.ts'
import { migrate } from './persistence/migrate.ts'
import { type OpenDatabase, openDatabase } from './persistence/open-database.ts'
import { postgresDriver } from './persistence/postgres.ts'
import { withReplica } from './persistence/replica.ts'
import type { Namespace } from './persistence/table-names.ts'
import { tracedDatabase } from './persistence/traced-database.ts'
import type { GroupTask, WorkerGroup } from './worker-group.ts'

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

/** A running service. */
export interface Runtime {
  app: App
  deps: Deps
  api: AuthApi
  admin: AdminApi
  outbox: OutboxApi
  background: Background
  runDueWork(withinMs: number): Promise<DueWork>
  requireViewer(token: string, stepUp: StepUp, scopes?: readonly string[] | null): Promise<Viewer>
  requireLiveGrant(claims: AccessTokenClaims): Promise<void>
  /** The URL of the page that shows messages in development; null where there is no such page. */
  mailboxUrl: string | null
  /** Runs the capability's migrations, and returns the parts that it may use. */
  register(capability: Capability): Promise<CapabilityServices>
  /** The parts that another service may take over. */
  parts: RuntimeParts
  /** Ends the background tasks, and leaves the parts open. */
  retire(): Promise<void>
  close(): Promise<void>
}

/** The maximum number of concurrent hash computations. */
export const hashingWidth = Math.max(1, Math.min(availableParallelism(), 3))

/** Opens the database, migrates its schema and builds all parts once. */
export async function startRuntime(config: Config, world: World = {}): Promise<Runtime> {
  const parts = world.parts ?? (await openParts(config, world))
  try {
    return await detached(parts.telemetry, () => start(config, parts, world))
  } catch (error) {
    if (!world.parts) await parts.close()
    throw error
  }
}

async function start(config: Config, parts: RuntimeParts, world: World): Promise<Runtime> {
  const { telemetry } = parts
  const logger = config.logger ?? stderrLogger
  const taken = await migrate(parts.database, config.database)
  if (taken.length > 0) logger.info({ migrations: taken }, 'database migrated')
  // Before the first key is generated.
  if (taken.length > 0) await keepPrepared(parts.database, logger)
  const schemas = capabilitySchemas(
    { database: parts.database, place: config.database, logger },
    world.capabilities ?? [],
  )
  const { deps, background, stop } = await buildDeps(config, parts, world, schemas)
  const service: CapabilityServices = {
    deps,
    openCall: () => openCall(deps),
    signInWithPassword,
  }
  noteThatMailGoesNowhere(deps, world)
  if (world.announces) announceMailbox(deps)
  // The servers for production check it beside their start.
  if (config.development && !world.openDatabase) {
    const { warnOfMissingKeys } = await import('./sealed-rows.ts')
    await warnOfMissingKeys(deps)
  }
  const retire = async () => {
    await background.close()
    await stop()
    await deps.decisions.close()
    await deps.outbox.close()
    await closeCarriers(deps)
  }
  const api = tracedCalls('api', createAuthApi(deps), telemetry)
  const admin = tracedCalls('admin', createAdminApi(deps), telemetry)
  const outbox = createOutboxApi(deps)
  const addPages = await openPages({
    deps,
    api,
    admin,
    outbox,
    settings: {
      paths: world.givenPaths ?? (() => new Set()),
      nameOf: world.nameOf ?? asInCode,
    },
    answer: (request) => app.answer(request),
  })
  const app = createApp(deps, addPages)
  return {
    app,
    deps,
    parts,
    api,
    admin,
    outbox,
    background,
    runDueWork: (withinMs) => runDueWork(deps, background.tasks, withinMs),
    requireViewer: (token, stepUp, scopes) => requireViewer(deps, token, stepUp, scopes),
    requireLiveGrant: (claims) => requireLiveGrant(deps, claims),
    mailboxUrl: addressOfMailbox(deps),
    register: async (capability) => {
      await schemas.prepare(capability)
      return service
    },
    retire,
    close: async () => {
      await retire()
      await parts.close()
    },
  }
}

/** A project that starts later must not need this: a full disk is no fault of the service. */
async function keepPrepared(database: OpenDatabase, logger: Logger): Promise<void> {
  await database.keepPrepared?.().catch((error: unknown) => {
    logger.debug(
      { fault: describeFault(error) },
      'the new database was not stored for later projects',
    )
  })
}

async function openParts(config: Config, world: World): Promise<RuntimeParts> {
  const logger = config.logger ?? stderrLogger
  const telemetry = await openTelemetry(config, logger, world.group?.metrics)
  let database: OpenDatabase | undefined
  let threads: HashingThreads | undefined
  let limits: OpenLimitStore | undefined
  const close = async () => {
    await threads?.close()
    await limits?.close()
    // Its last measurements read the database.
    await telemetry?.close()
    await database?.close()
  }
  try {
    return await detached(telemetry, async () => {
      if (world.announces) announceEmbeddedDatabase(config)
      const opened = await (world.openDatabase?.(config.database) ?? openConfiguredDatabase(config))
      database = tracedDatabase(opened, telemetry)
      database = await withReplica(database, config.database, { logger, telemetry })
      const count = world.group?.hashingThreads ?? hashingWidth
      threads = await openHashingThreads({
        count,
        maxWaiting: 64 * count,
        maxWaitMs: 10_000,
        logger,
      })
      const clock = world.clock ?? systemClock
      const inPrimary = config.rateLimits.store === 'memory' ? world.group?.limits : undefined
      limits =
        inPrimary ??
        (await openLimitStore(config.rateLimits, {
          sql: database.sql,
          clock,
          storeClock: databaseClockOf(world),
          logger,
          telemetry,
        }))
      return { telemetry, database, threads, limits, close }
    })
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Runs work outside the trace of a request: the first request starts a service, whose tasks do not
 * belong to it.
 */
const detached = <T>(telemetry: Telemetry | null, work: () => Promise<T>): Promise<T> =>
  telemetry ? telemetry.detached(work) : work()

/** Opens the configured server, or, in development without one, the embedded database. */
export async function openConfiguredDatabase(config: Config): Promise<OpenDatabase> {
  const { url } = config.database
  if (url === null) await makeDevelopmentFolder()
  const driver =
    url === null
      ? embeddedPostgresDriver(embeddedDataFolder, cacheFolder())
      : postgresDriver({ ...config.database, ...unusedLimit(config), url })
  return openDatabase(driver, config.database)
}

/** Timers that close idle connections do not run while the process is frozen. */
function unusedLimit({ background, database }: Config): { maxUnusedMs?: number } {
  if (!background.frozenBetweenRequests) return {}
  return { maxUnusedMs: (database.connectionMaxIdleSeconds || 10) * 1000 }
}

const databaseClockOf = ({ clock, databaseClock }: World): Clock | null =>
  databaseClock === undefined ? (clock ?? null) : databaseClock

/** Builds the parts of the service, its background tasks, and the function that ends them. */
async function buildDeps(
  config: Config,
  { telemetry, database, threads, limits }: RuntimeParts,
  world: World,
  { personalTables: capabilityTables }: CapabilitySchemas,
): Promise<{ deps: Deps; background: Background; stop: () => Promise<void> }> {
  const clock = world.clock ?? systemClock
  const random = world.random ?? systemRandom
  const logger = config.logger ?? stderrLogger
  const encryption = keyEncryption(config.encryptionKeys)
  const roots = await resolveRoots(config)
  const passwords = createPasswordHasher(config.passwords.argon2, tracedThreads(threads, telemetry))
  const isFrozen = config.background.frozenBetweenRequests
  const connections = openKeptAliveFetch(config.outgoing.maxRequests)
  // The other side closes kept connections while the process is frozen.
  const askOthers = world.fetch ?? (isFrozen ? safeFetch : connections.fetch)
  const requester = createRequesterScope()
  const traced = tracedFetch(askOthers, telemetry)
  const fetch = queuedFetch(traced, queueFor(config, requester))
  const passwordPolicy = await openPasswordPolicy({ config, clock, logger, fetch })
  const isElected = electedIn(world.group)
  // Background tasks start last, so that no failure leaves them running.
  let listener: ChangeListener | null = null
  const { keys, reload, renewIfOld, stop } = await openKeyRing(config.jwt, {
    ...database,
    clock,
    random,
    logger,
    encryption,
    isFrozen,
    announcements: () => {
      if (config.database.url === null) return 'none'
      return listener?.isNotified() ? 'notified' : 'silently'
    },
    isPolling: isElected('keys'),
    changed: () => world.group?.announceKeys(),
  })
  // A frozen process receives no notifications.
  if (reload) world.group?.onKeys(reload)
  if (reload && !isFrozen) listener = listenForKeys(config, database, reload)
  const smsTraffic = watchSmsTraffic({ clock, logger })
  const outsideFetch = openOutsideFetch(traced, queueFor(config, requester))
  const outlets = openOutlets({
    config,
    clock,
    keys,
    random,
    sql: database.sql,
    fetch: openOutsideFetch(traced, queueFor(config, requester)),
  })
  const parts = { config, database, clock, logger, smsTraffic, telemetry }
  const messaging = openCarriers({ ...parts, outlets })
  const { carriers } = messaging
  const scopes = isFrozen ? createWakeScopes({ clock }) : null
  const onWake = scopes?.note ?? null
  const outbox = openOutbox({
    sql: database.sql,
    clock,
    roots,
    carriers,
    logger,
    telemetry,
    onWake,
    isPolling: isElected('outbox'),
    // Tests have a clock of their own, and developers wait for messages.
    ...(!world.clock &&
      !config.development && { concealingPauseMs: () => Number(random.digits(2)) }),
  })
  watchOutbox({ sql: database.sql, clock, isWatching: isElected('outbox') }, telemetry)
  telemetry?.observe('auth.running', () => [{ value: 1 }])
  const issuers = openIssuers({ config, clock, logger, fetch })
  const registryNeeds = { config, sql: database.sql, clock, logger, roots, fetch: outsideFetch }
  const registries = builtInCapabilities.flatMap((one): ProviderRegistry[] =>
    one.openProviderRegistry ? [one.openProviderRegistry(registryNeeds)] : [],
  )
  const bodies = createBodyBudget(config.api.maxBodyBytesInFlight)
  const deps: Deps = {
    config,
    database,
    clock,
    databaseNow: () => databaseClockOf(world)?.now() ?? null,
    random,
    logger,
    telemetry,
    keys,
    tokenSizes: watchTokenSizes({ clock, logger }),
    roots,
    passwords,
    passwordPolicy,
    limits,
    bodies,
    requestsInFlight: createRequestsInFlight(config.api.maxRequestsInFlight, bodies.receiving),
    callerTurns: createKeyedSemaphore(requestsPerCaller),
    lookupTurns: createLookupTurns(config.database.maxPoolSize),
    responseTimes: createResponseTimes(),
    captcha: openCaptcha(config, queuedFetch(traced, queueFor(config, requester))),
    ...messaging,
    isDeliverable: openDeliverability({ config, fetch, logger, resolver: world.resolver }),
    issuers,
    outsideFetch,
    clientFetch: openOutsideFetch(traced, queueFor(config, requester)),
    outbox,
    eventId: orderedUuids(),
    decisions: openDecisionLog({ sql: database.sql, clock, logger, isFrozen }),
    smsTraffic,
    builtInTables,
    capabilityTables,
    requester,
    hookQueue: queueFor(config, requester),
    databaseHookTurns: createDatabaseHookTurns(config.database.maxPoolSize, requester),
    providers: openProviders({ config, clock, fetch, issuers, registries }),
    renewals: createSingleFlight(),
    sendBudgets: watchSendBudgets({ clock, logger }),
    developerToken: config.development ? random.hex(16) : null,
    workers: world.group?.counts ?? null,
  }
  void warnOfSharedCallbacks(deps)
  const stopAll = async () => {
    stop()
    connections.close()
    await listener?.close()
  }
  const background = openBackground(deps, {
    renewKeys: renewIfOld,
    scopes,
    isSweeping: isElected('sweeping'),
  })
  return { deps, background, stop: stopAll }
}

/** Returns the function that reports whether this process runs the timer of a task. */
const electedIn =
  (group: WorkerGroup | undefined) =>
  (task: GroupTask): (() => boolean) =>
  () =>
    group?.isElected(task) ?? true

/** The number of requests of one user that are served concurrently. */
const requestsPerCaller = 8

/** The number of waiting requests to other servers for each running one, and the maximum wait. */
const waitingPerRequest = 8
const maxOutgoingWaitMs = 5_000

const queuedFetch =
  (fetch: Fetch, queue: OutgoingQueue): Fetch =>
  (url, options) =>
    queue(() => fetch(url, options))

/**
 * Bounds the requests to other servers that clients cause. Hooks and captchas have a queue each:
 * they do not wait behind servers that do not respond, nor keep the others waiting.
 */
const queueFor = (
  { outgoing: { maxRequests } }: Config,
  { current }: RequesterScope,
): OutgoingQueue =>
  createOutgoingQueue({
    width: maxRequests,
    maxWaiting: waitingPerRequest * maxRequests,
    maxWaitMs: maxOutgoingWaitMs,
    pathOf: () => pathOfRequester(current()),
    full: () => serviceUnavailable('Too many concurrent requests to other services'),
  })

/**
 * Receives notifications of keys that another instance generated or retired. The embedded database
 * has no other instances.
 */
function listenForKeys({ database }: Config, { names, sql }: OpenDatabase, reload: () => void) {
  const url = database.listenUrl ?? database.url
  if (url === null) return null
  return listenForChanges({
    url,
    table: names.table('signing_keys'),
    changed: reload,
    notify: (payload) => notifyInstances(sql, payload),
  })
}

/**
 * Logs that no carrier for mail is configured. With autoconfirm that is permitted, but no user can
 * recover an account by mail.
 */
function noteThatMailGoesNowhere(
  { carriers, logger }: Deps,
  { nameOf = asInCode, group }: World,
): void {
  if (carriers.email || carriers.email_hook) return
  if (group && group.metrics.worker > 1) return
  logger.info(
    { setting: nameOf('email.smtp.host') },
    'no carrier for mail is configured; no mail is sent',
  )
}

const asInCode = (path: string) => path

/** Returns the root of derived keys: the encryption keys, else the shared secrets of tokens. */
export async function resolveRoots({
  encryptionKeys,
  jwt,
  development,
}: Config): Promise<RootKeys> {
  const [current, ...others] = [...encryptionKeys, ...jwt.secrets]
  if (current !== undefined) return extractRoots(current, ...others)
  if (!development) throw new Error('no root for derived keys is configured')
  return extractRoots(await developmentRoot())
}

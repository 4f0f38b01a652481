import { availableParallelism } from 'node:os'
import { keyEncryption, openKeyRing } from './access-tokens/open-key-ring.ts'
import { watchTokenSizes } from './access-tokens/watch-token-sizes.ts'
import type { AdminApi } from './api/admin-api.ts'
import type { AuthApi } from './api/auth-api.ts'
import { createAdminApi } from './api/create-admin-api.ts'
import { createAuthApi } from './api/create-auth-api.ts'
import { createOutboxApi, type OutboxApi } from './api/outbox-api.ts'
import { type DueWork, runDueWork } from './api/run-due-work.ts'
import type { StepUp } from './api/step-up.ts'
import { tracedCalls } from './api/trace-calls.ts'
import { requireViewer, type Viewer } from './api/viewer.ts'
import { openCaptcha } from './captcha/open-captcha.ts'
import type { Companion, CompanionHost } from './companion-door.ts'
import type { Config } from './config/config.ts'
import { type App, createApp } from './create-app.ts'
import { openDecisionLog } from './decisions/decision-log.ts'
import type { Deps } from './deps.ts'
import { signInWithPassword } from './flows/token/sign-in-with-password.ts'
import { type Clock, systemClock } from './kit/clock.ts'
import { extractRoots, type RootKeys } from './kit/derived-keys.ts'
import { type Random, systemRandom } from './kit/random.ts'
import { safeFetch } from './kit/safe-fetch.ts'
import { createSharedWork } from './kit/shared-work.ts'
import { orderedUuids } from './kit/uuid.ts'
import type { LimitStore } from './limits/limit-store.ts'
import { openLimitStore } from './limits/open-limit-store.ts'
import { watchSendBudgets } from './limits/watch-send-budgets.ts'
import { openDeliverability } from './messages/email/check-deliverability.ts'
import type { MailResolver } from './messages/email/mail-exchangers.ts'
import { openOutbox } from './messages/outbox/outbox.ts'
import { watchOutbox } from './messages/outbox/watch-outbox.ts'
import { watchSmsTraffic } from './messages/sms/sms-traffic.ts'
import { stderrLogger } from './observability/logger.ts'
import { openTelemetry } from './observability/open-telemetry.ts'
import type { Telemetry } from './observability/telemetry.ts'
import { addressOfMailbox, announceMailbox } from './pages/mailbox/announce-mailbox.ts'
import { type HashingThreads, openHashingThreads } from './passwords/hashing-threads.ts'
import { openPasswordPolicy } from './passwords/open-password-policy.ts'
import { createPasswordHasher } from './passwords/password-hasher.ts'
import { tracedThreads } from './passwords/traced-threads.ts'
import { announceEmbeddedDatabase } from './persistence/announce-embedded-database.ts'
import { type CompanionSchemas, companionSchemas } from './persistence/companion-schemas.ts'
import {
  developmentRoot,
  embeddedDataFolder,
  makeDevelopmentFolder,
} from './persistence/development-folder.ts'
import { embeddedPostgresDriver } from './persistence/embedded-postgres.ts'
import { listenForChanges } from './persistence/listen-for-changes.ts'
import { migrate } from './persistence/migrate.ts'
import { type OpenDatabase, openDatabase } from './persistence/open-database.ts'
import { postgresDriver } from './persistence/postgres.ts'
import type { Namespace } from './persistence/table-names.ts'
import { tracedDatabase } from './persistence/traced-database.ts'
import { openIssuers } from './providers/open-issuers.ts'
import { openProviders } from './providers/open-providers.ts'
import type { Fetch } from './providers/protocol/ask-provider.ts'
import { tracedFetch } from './providers/protocol/traced-fetch.ts'
import type { Background } from './steps/background.ts'
import { openBackground } from './steps/open-background.ts'
import { closeCarriers, openCarriers } from './steps/open-carriers.ts'
import { createWakeScopes } from './steps/wake-scopes.ts'

/** What surrounds a service; a test puts its own in place. */
export interface World {
  clock?: Clock
  random?: Random
  /** Asks external providers. */
  fetch?: Fetch
  /** Tells which hosts take the mail of a domain. */
  resolver?: MailResolver
  /** Says at start what development waits for, and where it shows its mails. Our own server says so in words of its own. */
  announces?: boolean
  /** Warns of requests whose host does not tell whom they come from, unless this is false. */
  watchesPeers?: boolean
  /** What the giver of the configuration calls a setting, where that is not its path. */
  nameOf?: (path: string) => string
  /** Opens the database, in place of the configured one. */
  openDatabase?: (place: Namespace) => Promise<OpenDatabase>
  /** Those of a running service that this one takes the place of, by other settings. */
  parts?: RuntimeParts
  /** Those that were let in so far: more may come while it runs. */
  companions?: readonly Companion[]
}

/** What is opened once in a process, whatever settings change while it runs. */
export interface RuntimeParts {
  telemetry: Telemetry | null
  database: OpenDatabase
  threads: HashingThreads
  limits: LimitStore
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
  requireViewer(token: string, stepUp: StepUp): Promise<Viewer>
  /** Where development shows its messages; null where there is no such page. */
  mailboxUrl: string | null
  /** What a companion works with, once its own steps of the schema are taken. */
  letIn(companion: Companion): Promise<CompanionHost>
  /** What another service may take over. */
  parts: RuntimeParts
  /** Ends what goes on by itself, and leaves the parts open. */
  retire(): Promise<void>
  close(): Promise<void>
}

/** How many passwords are hashed at once. */
const hashingWidth = Math.max(1, Math.min(availableParallelism(), 3))

/** Opens the database, brings its schema up to date and builds everything once. */
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
  const schemas = companionSchemas(
    { database: parts.database, place: config.database, logger },
    world.companions ?? [],
  )
  const { deps, background, stop } = await buildDeps(config, parts, world, schemas)
  const service: CompanionHost = { deps, signInWithPassword }
  noteThatMailGoesNowhere(deps, world)
  if (world.announces) announceMailbox(deps)
  const retire = async () => {
    await background.close()
    await stop()
    await deps.decisions.close()
    await deps.outbox.close()
    await closeCarriers(deps)
  }
  return {
    app: createApp(deps),
    deps,
    parts,
    api: tracedCalls('api', createAuthApi(deps), telemetry),
    admin: tracedCalls('admin', createAdminApi(deps), telemetry),
    outbox: createOutboxApi(deps),
    background,
    runDueWork: (withinMs) => runDueWork(deps, background.duties, withinMs),
    requireViewer: (token, stepUp) => requireViewer(deps, token, stepUp),
    mailboxUrl: addressOfMailbox(deps),
    letIn: async (companion) => {
      await schemas.prepare(companion)
      return service
    },
    retire,
    close: async () => {
      await retire()
      await parts.close()
    },
  }
}

async function openParts(config: Config, world: World): Promise<RuntimeParts> {
  const logger = config.logger ?? stderrLogger
  const telemetry = await openTelemetry(config, logger)
  let database: OpenDatabase | undefined
  let threads: HashingThreads | undefined
  const close = async () => {
    await threads?.close()
    // What it reads for the last time is in the database.
    await telemetry?.close()
    await database?.close()
  }
  try {
    return await detached(telemetry, async () => {
      if (world.announces) announceEmbeddedDatabase(config)
      const opened = await (world.openDatabase?.(config.database) ?? openConfiguredDatabase(config))
      database = tracedDatabase(opened, telemetry)
      threads = openHashingThreads({
        count: hashingWidth,
        maxWaiting: 64 * hashingWidth,
        maxWaitMs: 10_000,
        logger,
      })
      const clock = world.clock ?? systemClock
      const limits = await openLimitStore(config.rateLimits, { sql: database.sql, clock })
      return { telemetry, database, threads, limits, close }
    })
  } catch (error) {
    await close()
    throw error
  }
}

/** The first request starts a service; what goes on from then on is not that request's. */
const detached = <T>(telemetry: Telemetry | null, work: () => Promise<T>): Promise<T> =>
  telemetry ? telemetry.detached(work) : work()

/** The configured server, or, in development without one, the embedded database. */
export async function openConfiguredDatabase(config: Config): Promise<OpenDatabase> {
  const { url } = config.database
  if (url === null) await makeDevelopmentFolder()
  const driver =
    url === null
      ? embeddedPostgresDriver(embeddedDataFolder)
      : postgresDriver({ ...config.database, ...unusedLimit(config), url })
  return openDatabase(driver, config.database)
}

/** Timers that would close connections that nobody uses do not run while the process is frozen. */
function unusedLimit({ background, database }: Config): { maxUnusedMs?: number } {
  if (!background.frozenBetweenRequests) return {}
  return { maxUnusedMs: (database.connectionMaxIdleSeconds || 10) * 1000 }
}

/** The parts of the service, what goes on beside requests, and what ends their upkeep. */
async function buildDeps(
  config: Config,
  { telemetry, database, threads, limits }: RuntimeParts,
  world: World,
  { personalTables: companionTables }: CompanionSchemas,
): Promise<{ deps: Deps; background: Background; stop: () => Promise<void> }> {
  const clock = world.clock ?? systemClock
  const random = world.random ?? systemRandom
  const logger = config.logger ?? stderrLogger
  const encryption = keyEncryption(config.encryptionKeys)
  const roots = await resolveRoots(config)
  const passwords = await createPasswordHasher(
    config.passwords.argon2,
    tracedThreads(threads, telemetry),
  )
  const fetch = tracedFetch(world.fetch ?? safeFetch, telemetry)
  const passwordPolicy = await openPasswordPolicy({ config, clock, logger, fetch })
  // What goes on by itself comes last: nothing that fails leaves it running.
  const isFrozen = config.background.frozenBetweenRequests
  const { keys, reload, renewIfOld, stop } = await openKeyRing(config.jwt, {
    ...database,
    clock,
    random,
    logger,
    encryption,
    isFrozen,
  })
  // A frozen process hears nothing.
  const listener = reload && !isFrozen && listenForKeys(config, database, reload)
  const smsTraffic = watchSmsTraffic({ clock, logger })
  const messaging = openCarriers({ config, database, clock, logger, smsTraffic, telemetry })
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
  })
  watchOutbox({ sql: database.sql, clock }, telemetry)
  telemetry?.observe('auth.running', () => [{ value: 1 }])
  const issuers = openIssuers({ config, clock, logger, fetch })
  const deps: Deps = {
    config,
    database,
    clock,
    random,
    logger,
    telemetry,
    keys,
    tokenSizes: watchTokenSizes({ clock, logger }),
    roots,
    passwords,
    passwordPolicy,
    limits,
    captcha: openCaptcha(config, fetch),
    ...messaging,
    isDeliverable: openDeliverability({ config, fetch, logger, resolver: world.resolver }),
    issuers,
    outbox,
    eventId: orderedUuids(),
    decisions: openDecisionLog({ sql: database.sql, clock, logger, isFrozen }),
    smsTraffic,
    companionTables,
    providers: openProviders({ config, clock, fetch, issuers }),
    renewals: createSharedWork(),
    sendBudgets: watchSendBudgets({ clock, logger }),
    developerToken: config.development ? random.hex(16) : null,
  }
  const stopAll = async () => {
    stop()
    if (listener) await listener.close()
  }
  const background = openBackground(deps, { renewKeys: renewIfOld, scopes })
  return { deps, background, stop: stopAll }
}

/** Hears at once of keys that another instance made or retired. The embedded database has no others. */
function listenForKeys({ database }: Config, { names }: OpenDatabase, reload: () => void) {
  const url = database.listenUrl ?? database.url
  if (url === null) return null
  return listenForChanges({ url, table: names.table('signing_keys'), changed: reload })
}

/** Allowed where addresses confirm themselves; but nobody then resets a password by mail. */
function noteThatMailGoesNowhere({ carriers, logger }: Deps, { nameOf = asInCode }: World): void {
  if (carriers.email || carriers.email_hook) return
  logger.info(
    { setting: nameOf('email.smtp.host') },
    'no mail is sent: nothing is set that sends it',
  )
}

const asInCode = (path: string) => path

/** What derived keys come from: the encryption keys, else the shared secrets of tokens. */
export async function resolveRoots({
  encryptionKeys,
  jwt,
  development,
}: Config): Promise<RootKeys> {
  const [current, ...others] = [...encryptionKeys, ...jwt.secrets]
  if (current !== undefined) return extractRoots(current, ...others)
  if (!development) throw new Error('there is no root for derived keys')
  return extractRoots(await developmentRoot())
}

import type { Deps } from '../accounts/auth-context.ts'
import type { Capability } from '../capabilities/capability.ts'
import type { CapabilityServices } from '../capabilities/capability-host.ts'
import type { AccessTokenClaims } from '../credentials/access-tokens/claims.ts'
import { signInWithPassword } from '../endpoints/token/sign-in-with-password.ts'
import type { Config } from '../platform/config/config.ts'
import { type Closers, createClosers } from '../platform/kit/closers.ts'
import { describeFault } from '../platform/observability/describe-fault.ts'
import { type Logger, stderrLogger } from '../platform/observability/logger.ts'
import type { AdminApi } from './api/admin-api.ts'
import type { AuthApi } from './api/auth-api.ts'
import { openCall } from './api/call-options.ts'
import { createAdminApi } from './api/create-admin-api.ts'
import { createAuthApi } from './api/create-auth-api.ts'
import { createOutboxApi } from './api/create-outbox-api.ts'
import type { OutboxApi } from './api/outbox-api.ts'
import { type DueWork, runDueWork } from './api/run-due-work.ts'
import type { StepUp } from './api/step-up.ts'
import { tracedCalls } from './api/trace-calls.ts'
import { requireLiveGrant, requireViewer, type Viewer } from './api/viewer.ts'
import type { Background } from './background/background.ts'
import { buildDeps } from './build-deps.ts'
import { type App, createApp } from './create-app.ts'
import { addressOfMailbox, announceMailbox } from './pages/mailbox/mailbox-address.ts'
import { openServicePages } from './pages/open-service-pages.ts'
import { capabilitySchemas } from './persistence/capability-schemas.ts'
import { migrate } from './persistence/migrate.ts'
import type { OpenDatabase } from './persistence/open-database.ts'
import { closeAfterFault, detached, openParts } from './runtime-parts.ts'
import type { RuntimeParts, World } from './world.ts'

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
  requireLiveGrant(claims: AccessTokenClaims): Promise<string>
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

/** Opens the database, migrates its schema and builds all parts once. */
export async function startRuntime(config: Config, world: World = {}): Promise<Runtime> {
  const parts = world.parts ?? (await openParts(config, world))
  const closers = createClosers()
  try {
    return await detached(parts.telemetry, () => start(config, parts, world, closers))
  } catch (error) {
    const logger = config.logger ?? stderrLogger
    await closeAfterFault(closers, logger)
    if (!world.parts) await closeAfterFault(parts, logger)
    throw error
  }
}

async function start(
  config: Config,
  parts: RuntimeParts,
  world: World,
  closers: Closers,
): Promise<Runtime> {
  const { telemetry } = parts
  const logger = config.logger ?? stderrLogger
  const taken = await migrate(parts.database, config.database, undefined, { logger })
  if (taken.length > 0) logger.info({ migrations: taken }, 'database migrated')
  // Before the first key is generated.
  if (taken.length > 0) await keepPrepared(parts.database, logger)
  const schemas = capabilitySchemas(
    { database: parts.database, place: config.database, logger },
    world.capabilities ?? [],
  )
  const { deps, background } = await buildDeps(config, parts, world, schemas, closers)
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
  const api = tracedCalls('api', createAuthApi(deps), telemetry)
  const admin = tracedCalls('admin', createAdminApi(deps), telemetry)
  const outbox = createOutboxApi(deps)
  const addPages = await openServicePages({
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
    retire: closers.close,
    close: async () => {
      try {
        await closers.close()
      } finally {
        await parts.close()
      }
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

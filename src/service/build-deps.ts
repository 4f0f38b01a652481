import { createResponseTimes } from '../accounts/addresses/response-times.ts'
import type { Deps } from '../accounts/auth-context.ts'
import { openDecisionLog } from '../accounts/decisions/decision-log.ts'
import { watchTokenSizes } from '../credentials/access-tokens/issue-access-token.ts'
import { openIssuers, openProviders } from '../credentials/external/open-providers.ts'
import type { ProviderRegistry } from '../credentials/external/provider.ts'
import { warnOfSharedCallbacks } from '../credentials/external/warn-of-shared-callbacks.ts'
import { createPasswordHasher } from '../credentials/passwords/password-hasher.ts'
import { openPasswordPolicy } from '../credentials/passwords/password-policy.ts'
import { tracedThreads } from '../credentials/passwords/traced-threads.ts'
import { createDatabaseHookSemaphore } from '../delivery/hooks/database-hook-semaphore.ts'
import { openDeliverability } from '../delivery/mail/check-deliverability.ts'
import { closeCarriers, openCarriers } from '../delivery/outbox/open-carriers.ts'
import { openOutbox } from '../delivery/outbox/outbox.ts'
import { watchOutbox } from '../delivery/outbox/watch-outbox.ts'
import { watchSmsTraffic } from '../delivery/sms/sms-traffic.ts'
import { openCaptcha } from '../limits/captcha/open-captcha.ts'
import { createLookupSemaphore } from '../limits/lookup-semaphore.ts'
import { watchSendBudgets } from '../limits/watch-send-budgets.ts'
import type { Config } from '../platform/config/config.ts'
import { createBodyBudget } from '../platform/http/body-budget.ts'
import { createRequestsInFlight } from '../platform/http/requests-in-flight.ts'
import { createClientScope } from '../platform/kit/client-scope.ts'
import { systemClock } from '../platform/kit/clock.ts'
import type { Closers } from '../platform/kit/closers.ts'
import { createSingleFlight } from '../platform/kit/concurrency.ts'
import { createKeyedSemaphore } from '../platform/kit/keyed-semaphore.ts'
import { systemRandom } from '../platform/kit/random.ts'
import { orderedUuids } from '../platform/kit/uuid.ts'
import { stderrLogger } from '../platform/observability/logger.ts'
import type { Background } from './background/background.ts'
import { openBackground } from './background/open-background.ts'
import { createWakeScopes } from './background/wake-scopes.ts'
import { builtInCapabilities, builtInTables, openOutlets } from './capabilities.ts'
import { openKeys } from './open-keys.ts'
import { openOutgoing } from './open-outgoing.ts'
import type { CapabilitySchemas } from './persistence/capability-schemas.ts'
import { resolveRoots } from './resolve-roots.ts'
import type { GroupTask, WorkerGroup } from './worker-group.ts'
import { databaseClockOf, type RuntimeParts, type World } from './world.ts'

/** Builds the parts of the service and its background tasks, which the closers end. */
export async function buildDeps(
  config: Config,
  { telemetry, database, threads, limits }: RuntimeParts,
  world: World,
  { personalTables: capabilityTables }: CapabilitySchemas,
  closers: Closers,
): Promise<{ deps: Deps; background: Background }> {
  const clock = world.clock ?? systemClock
  const random = world.random ?? systemRandom
  const logger = config.logger ?? stderrLogger
  const roots = await resolveRoots(config)
  const passwords = createPasswordHasher(config.passwords.argon2, tracedThreads(threads, telemetry))
  const isFrozen = config.background.frozenBetweenRequests
  const clientScope = createClientScope()
  const outgoing = openOutgoing(config, { own: world.fetch, telemetry, clientScope })
  closers.add(outgoing.close)
  const { fetch, outsideFetch, clientFetch, hookQueue } = outgoing
  const passwordPolicy = await openPasswordPolicy({ config, clock, logger, fetch })
  const isElected = electedIn(world.group)
  const signingKeys = await openKeys(config, {
    database,
    clock,
    random,
    logger,
    group: world.group,
    isPolling: isElected('keys'),
  })
  closers.add(signingKeys.close)
  const { keys } = signingKeys
  const smsTraffic = watchSmsTraffic({ clock, logger })
  const outlets = openOutlets({
    config,
    clock,
    keys,
    random,
    sql: database.sql,
    fetch: outgoing.outletFetch,
  })
  const parts = { config, database, clock, logger, smsTraffic, telemetry }
  const messaging = openCarriers({ ...parts, outlets, codeCheckQueue: outgoing.codeCheckQueue })
  closers.add(() => closeCarriers(messaging))
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
    smsTimeoutMs: config.outgoing.timeoutSeconds * 1000,
    // Tests have a clock of their own, and developers wait for messages.
    ...(!world.clock &&
      !config.development && { concealingPauseMs: () => Number(random.digits(2)) }),
  })
  closers.add(outbox.close)
  watchOutbox({ sql: database.sql, clock, isWatching: isElected('outbox') }, telemetry)
  telemetry?.observe('auth.running', () => [{ value: 1 }])
  const issuers = openIssuers({ config, clock, logger, fetch })
  const registryNeeds = { config, sql: database.sql, clock, logger, roots, fetch: outsideFetch }
  const registries = builtInCapabilities.flatMap((one): ProviderRegistry[] =>
    one.openProviderRegistry ? [one.openProviderRegistry(registryNeeds)] : [],
  )
  const decisions = openDecisionLog({ sql: database.sql, clock, logger, isFrozen })
  closers.add(decisions.close)
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
    callerSemaphore: createKeyedSemaphore(requestsPerCaller),
    lookupSemaphore: createLookupSemaphore(config.database.maxPoolSize),
    responseTimes: createResponseTimes(),
    captcha: openCaptcha(config, outgoing.captchaFetch),
    ...messaging,
    isDeliverable: openDeliverability({ config, fetch, logger, resolver: world.resolver }),
    issuers,
    outsideFetch,
    clientFetch,
    outbox,
    eventId: orderedUuids(),
    decisions,
    smsTraffic,
    builtInTables,
    capabilityTables,
    clientScope,
    hookQueue,
    databaseHookSemaphore: createDatabaseHookSemaphore(config.database.maxPoolSize, clientScope),
    providers: openProviders({ config, clock, fetch, issuers, registries }),
    renewals: createSingleFlight(),
    sendBudgets: watchSendBudgets({ clock, logger }),
    developerToken: config.development ? random.hex(16) : null,
    workers: world.group?.counts ?? null,
  }
  void warnOfSharedCallbacks(deps)
  const background = openBackground(deps, {
    renewKeys: signingKeys.renewIfOld,
    scopes,
    isSweeping: isElected('sweeping'),
  })
  closers.add(background.close)
  return { deps, background }
}

/** Returns the function that reports whether this process runs the timer of a task. */
const electedIn =
  (group: WorkerGroup | undefined) =>
  (task: GroupTask): (() => boolean) =>
  () =>
    group?.isElected(task) ?? true

/** The number of requests of one user that are served concurrently. */
const requestsPerCaller = 8

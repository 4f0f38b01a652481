import type { Capability } from '../capabilities/capability.ts'
import type { CapabilityHost } from '../capabilities/capability-host.ts'
import { configuredKeyRing } from '../credentials/access-tokens/key-ring.ts'
import { watchPeers } from '../limits/watch-peers.ts'
import { checkConfig, isProductionEnv } from '../platform/config/check-config.ts'
import type { AuthConfig } from '../platform/config/config.ts'
import {
  givenPathsOf,
  withConfigInError,
  withGivenConfig,
} from '../platform/config/given-config.ts'
import {
  type Answer,
  type AnswerAtOnce,
  type AnswerRequest,
  answering,
  capabilityHost,
  captureResponse,
  toResponse,
} from '../platform/http/answer.ts'
import { answerFault, answerWithoutRuntime } from '../platform/http/answer-outside-app.ts'
import { peerOfRequest } from '../platform/http/peer.ts'
import { type RequestOptions, waitUntilOf, withOptions } from '../platform/http/request-options.ts'
import type { ServiceRequest } from '../platform/http/service-request.ts'
import { systemClock } from '../platform/kit/clock.ts'
import { requireNode } from '../platform/kit/require-node.ts'
import { silentLogger, stderrLogger } from '../platform/observability/logger.ts'
import { type AdminApi, adminMethods } from './api/admin-api.ts'
import type { Auth } from './api/auth.ts'
import { type AuthMethods, authMethods } from './api/auth-api.ts'
import { callOptionsOf } from './api/call-options-of.ts'
import { createProtectedResource } from './api/create-protected-resource.ts'
import { createTokenChecks } from './api/create-token-checks.ts'
import { lazily } from './api/lazily.ts'
import { type OauthApi, oauthMethods } from './api/oauth-api.ts'
import { type OutboxApi, outboxMethods } from './api/outbox-api.ts'
import { createLazyRuntime, withDatabaseReason } from './lazy-runtime.ts'
import type { Runtime } from './runtime.ts'
import type { World } from './world.ts'

/**
 * Checks the configuration and returns at once, without opening a connection. Large modules are
 * loaded at their first use.
 *
 * @throws ConfigError with every problem of the configuration, each by its path;
 *   UnsupportedNodeError on a Node that is too old.
 */
export const createAuth = (config: AuthConfig): Auth =>
  createService(config, { announces: true }).auth

/** The longest time of Node's timers. A longer one would end at once. */
const maxTimerSeconds = 2_147_483

/**
 * The interface for our own server and tests, besides the public one. Internal members are left out
 * of the published types, which would otherwise include all of the ORM's.
 *
 * @internal
 */
export interface Service {
  auth: Auth
  /** Returns the runtime, and starts it if it is not running. */
  runtime(): Promise<Runtime>
  /**
   * Waits until running requests and calls have ended, and leaves the parts to the service that
   * replaces this one.
   */
  retire(): Promise<void>
}

/**
 * Creates a service.
 *
 * @param world clock and random source, which tests replace, and whether the addresses of
 *   development are printed at start.
 * @internal
 */
export function createService(given: AuthConfig, world: World = {}): Service {
  requireNode()
  if (!world.respondsThroughNode) captureResponse()
  const { config, warnings } = withConfigInError(given, () =>
    checkConfig(given, { production: isProduction(), nameOf: world.nameOf }),
  )
  const logger = config.logger ?? stderrLogger
  // The primary process of workers logs them.
  const logsWarnings = world.warnsAboutSettings !== false && !world.group
  if (logsWarnings) for (const warning of warnings) logger.warn({}, warning)

  const capabilities: Capability[] = []
  const runtime = createLazyRuntime(config, {
    ...world,
    capabilities,
    givenPaths: () => givenPathsOf(given),
  })
  const useApi = <T>(work: (running: Runtime) => Promise<T>): Promise<T> =>
    runtime.use(work, { isAwaited: true })

  const answerRouted = async (request: ServiceRequest): Promise<Answer> => {
    let isRunning = false
    const scope = { waitUntil: waitUntilOf(request), isAwaited: true }
    try {
      return await runtime.use(({ app }) => {
        isRunning = true
        return app.answer(request)
      }, scope)
    } catch (error) {
      const respond = isRunning ? answerFault : answerWithoutRuntime
      return respond(logger, error, request)
    }
  }
  const atOnce: AnswerAtOnce = (request) => runtime.live?.app.answerAtOnce?.(request) ?? null
  const answer: AnswerRequest = Object.assign(answerRouted, { atOnce })
  const notePeer = watchPeers(
    { header: config.rateLimits.header, forwardedFor: config.security.svcForwardedForEnabled },
    // In development, clients that cannot be identified count as one, and in tests no client is
    // behind a request.
    config.development || world.watchesPeers === false ? silentLogger : logger,
  )
  const fetch = async (request: Request): Promise<Response> => {
    const ip = peerOfRequest(request)
    notePeer(ip)
    const isKnown = ip === (request as RequestOptions).ip
    return toResponse(await answer(isKnown ? request : withOptions(request, { ip })))
  }
  const clock = world.clock ?? systemClock
  const configuredKeys = configuredKeyRing(config.jwt)
  const keys = async () => configuredKeys ?? runtime.use(({ deps }) => deps.keys)

  const host: CapabilityHost = {
    logger,
    register: (capability) => {
      capabilities.push(capability)
      return (work) => runtime.use(async ({ register }) => work(await register(capability)))
    },
  }

  // Its type does not declare the property that our adapters look for.
  const app = { fetch, [answering]: answer }
  const auth: Auth & { [capabilityHost]: CapabilityHost } = {
    fetch: (request, options = {}) => fetch(withOptions(request, options)),
    basePath: config.basePath,
    app,
    callOptions: (request, options) => callOptionsOf(config, request, options),
    api: {
      ...lazily<AuthMethods>(authMethods, (call) => useApi(({ api }) => call(api))),
      oauth: lazily<OauthApi>(oauthMethods, (call) => useApi(({ api }) => call(api.oauth))),
    },
    admin: lazily<AdminApi>(adminMethods, (call) => useApi(({ admin }) => call(admin))),
    outbox: lazily<OutboxApi>(outboxMethods, (call) => useApi(({ outbox }) => call(outbox))),
    mailboxUrl: async () => (await runtime.start()).mailboxUrl,
    ready: () => withDatabaseReason(runtime.start().then(() => {})),
    runDueWork: async ({ withinSeconds = 25 } = {}) => {
      if (!(withinSeconds >= 0 && withinSeconds <= maxTimerSeconds)) {
        throw new TypeError(`withinSeconds must be a number from 0 to ${maxTimerSeconds}`)
      }
      return runtime.use(({ runDueWork }) => runDueWork(withinSeconds * 1000))
    },
    close: () => runtime.end('close'),
    ...createTokenChecks({
      config,
      clock,
      keys,
      requireViewer: (token, stepUp, scopes) =>
        runtime.use(({ requireViewer }) => requireViewer(token, stepUp, scopes)),
    }),
    protectedResource: (options) =>
      createProtectedResource(
        {
          config,
          keys,
          now: () => clock.now(),
          requireLive: (claims) => runtime.use(({ requireLiveGrant }) => requireLiveGrant(claims)),
        },
        options,
      ),
    [capabilityHost]: host,
  }
  withGivenConfig(auth, () => given)
  return { auth, runtime: runtime.get, retire: () => runtime.end('retire') }
}

/**
 * Whether this is production. The only environment variable that code reads, which can only forbid.
 */
export const isProduction = (): boolean =>
  // biome-ignore lint/style/noProcessEnv: what development makes easy must not happen in production
  isProductionEnv(process.env['NODE_ENV'])

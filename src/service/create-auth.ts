import type { Capability } from '../capabilities/capability.ts'
import type { CapabilityHost } from '../capabilities/capability-host.ts'
import { configuredKeyRing } from '../credentials/access-tokens/key-ring.ts'
import { checkConfig, isProduction } from '../platform/config/check-config.ts'
import type { AuthConfig } from '../platform/config/config.ts'
import {
  givenPathsOf,
  withConfigInError,
  withGivenConfig,
} from '../platform/config/given-config.ts'
import { answering, capabilityHost, captureResponse } from '../platform/http/answer.ts'
import { withOptions } from '../platform/http/request-options.ts'
import { systemClock } from '../platform/kit/clock.ts'
import { requireNode } from '../platform/kit/require-node.ts'
import { stderrLogger } from '../platform/observability/logger.ts'
import { type AdminApi, adminMethods } from './api/admin-api.ts'
import type { Auth } from './api/auth.ts'
import { type AuthMethods, authMethods } from './api/auth-api.ts'
import { callOptionsOf } from './api/call-options-of.ts'
import { createProtectedResource } from './api/create-protected-resource.ts'
import { createTokenChecks } from './api/create-token-checks.ts'
import { lazily } from './api/lazily.ts'
import { type OauthApi, oauthMethods } from './api/oauth-api.ts'
import { type OutboxApi, outboxMethods } from './api/outbox-api.ts'
import { readWithinSeconds } from './api/read-within-seconds.ts'
import { createLazyRuntime, withDatabaseReason } from './lazy-runtime.ts'
import { createRequestHandlers } from './request-handlers.ts'
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

  const { answer, fetch } = createRequestHandlers({
    config,
    logger,
    runtime,
    watchesPeers: world.watchesPeers,
  })
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
    runDueWork: async ({ withinSeconds } = {}) => {
      const withinMs = readWithinSeconds(withinSeconds)
      return runtime.use(({ runDueWork }) => runDueWork(withinMs))
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

import type { Capability } from '../capabilities/capability.ts'
import type { CapabilityHost } from '../capabilities/capability-host.ts'
import type { AccessTokenClaims } from '../credentials/access-tokens/claims.ts'
import { configuredKeyRing } from '../credentials/access-tokens/key-ring.ts'
import {
  type AcceptedCaller,
  readSubject,
  requireOwnToken,
  type TokenSubject,
} from '../credentials/access-tokens/token-subject.ts'
import { watchPeers } from '../limits/watch-peers.ts'
import { checkConfig, isProductionEnv } from '../platform/config/check-config.ts'
import type { AuthConfig } from '../platform/config/config.ts'
import {
  givenPathsOf,
  withConfigInError,
  withGivenConfig,
} from '../platform/config/given-config.ts'
import { AuthError } from '../platform/errors/auth-error.ts'
import { noAuthorization } from '../platform/errors/request-errors.ts'
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
import { bearerOf, type RequestLike } from '../platform/http/request-like.ts'
import { type RequestOptions, waitUntilOf, withOptions } from '../platform/http/request-options.ts'
import type { ServiceRequest } from '../platform/http/service-request.ts'
import { systemClock } from '../platform/kit/clock.ts'
import { createDrain } from '../platform/kit/drain.ts'
import { requireNode } from '../platform/kit/require-node.ts'
import { silentLogger, stderrLogger } from '../platform/observability/logger.ts'
import { type AdminApi, adminMethods } from './api/admin-api.ts'
import { type AuthApi, type AuthMethods, authMethods } from './api/auth-api.ts'
import type { CallOptions } from './api/call-options.ts'
import { callOptionsOf } from './api/call-options-of.ts'
import { createProtectedResource, type ResourceNeeds } from './api/create-protected-resource.ts'
import { lazily, type MethodsOf } from './api/lazily.ts'
import { type OauthApi, oauthMethods } from './api/oauth-api.ts'
import type { OutboxApi } from './api/outbox-api.ts'
import type { ProtectedResource, ProtectedResourceOptions } from './api/protected-resource.ts'
import type { DueWork } from './api/run-due-work.ts'
import {
  type RequiredAssurance,
  type RequiredScopes,
  readScopes,
  readStepUp,
  requireScopes,
  requireStepUp,
} from './api/step-up.ts'
import { verifyOwnToken, withHostStatus } from './api/verify-own-token.ts'
import type { Viewer } from './api/viewer.ts'
import type { Runtime } from './runtime.ts'
import type { World } from './world.ts'

/** The user of a request, by its token only. */
export interface ClaimedViewer extends TokenSubject {
  claims: AccessTokenClaims
}

type RequestScope = Parameters<Runtime['background']['runWithin']>[1]

type RequireUserOptions = RequiredAssurance &
  RequiredScopes & { strict?: boolean | null | undefined }

/** Authentication, ready to be mounted and called. */
export interface Auth {
  /**
   * Responds to one request of the wire protocol.
   *
   * @param options.ip the IP address of the socket's peer, without a port. Headers of the client
   *   are not trusted in its place: without it, or a configured header, no limit per client
   *   applies, and a warning is logged once.
   * @param options.waitUntil keeps the process running for work after the response, where the host
   *   does not: `(work) => context.waitUntil(work)`. Default: `waitUntil` of the request, as srvx
   *   and Nitro have it, else that of the configuration.
   */
  fetch(request: Request, options?: RequestOptions): Promise<Response>
  /** The configured path of the mounted service: `/auth`, or empty. */
  readonly basePath: string
  /** The same, for frameworks that mount an application by its `fetch`. */
  readonly app: { fetch(request: Request): Promise<Response> }
  /** The public endpoints as functions. */
  readonly api: AuthApi
  /**
   * Returns the options of a call that serves a request: address, user agent and languages of the client. Without them
   * messages are in English, and sessions have no address.
   *
   * @param options.ip the address of the socket's peer, for hosts whose request does not contain it.
   * @example await auth.api.signUp({ email, password }, auth.callOptions(request))
   */
  callOptions(
    request: RequestLike,
    options?: { ip?: string | undefined },
  ): Pick<CallOptions, 'ip' | 'userAgent' | 'languages'>
  /**
   * The operators' endpoints as functions. They require no token, so pass no input of other users to
   * them unchecked.
   */
  readonly admin: AdminApi
  /** The pending messages, and those sent or given up in the last week, for operators. */
  readonly outbox: OutboxApi
  /**
   * Returns the URL of the page that, with `development: true`, shows messages instead of sending
   * them. Its token is valid until the next start. Only the path where `externalUrl` is not on this
   * machine; null where there is no such page. Starts the service as `ready` does, with the same
   * errors.
   *
   * @throws AuthError `service_unavailable` (503) while the database cannot be reached.
   */
  mailboxUrl(): Promise<string | null>
  /**
   * Connects to the database and migrates its schema, once. Requests and calls do so by themselves;
   * a call at start shows problems early.
   *
   * @throws AuthError `service_unavailable` (503) while the database cannot be reached;
   *   {@link ForeignSchemaError} where the schema contains objects of others; of the embedded
   *   database {@link FolderInUseError} and {@link EmbeddedPostgresMissingError};
   *   {@link PasswordScoreMissingError} where a password score is required;
   *   {@link RedisPackageMissingError} where `rateLimits.redisUrl` is set and the package is missing;
   *   {@link HashingPackageMissingError} if a native part of a hashing package is missing;
   *   {@link TelemetryStartError} where telemetry is enabled and not available; {@link ClosedError}
   *   after `close`.
   */
  ready(): Promise<void>
  /**
   * Runs due background tasks, for a scheduler where no process stays alive: delivers pending
   * messages and retries, deletes expired rows, renews keys. Several processes may call it
   * concurrently.
   *
   * @param options.withinSeconds the time after which it returns. Started deliveries continue.
   *   Default 25.
   * @throws AuthError `service_unavailable` (503) while the database cannot be reached.
   * @example
   * const { sent, failed } = await auth.runDueWork()
   */
  runDueWork(options?: { withinSeconds?: number | undefined }): Promise<DueWork>
  /**
   * Waits until running requests and calls have ended, then closes the database. Later requests
   * receive 503, and later calls throw {@link ClosedError}.
   */
  close(): Promise<void>
  /**
   * Verifies an access token of a user: signature, `exp` and `nbf`, `iss` where `jwt.issuer` is set,
   * and `aud`. Tokens of OAuth clients are rejected. It does not detect a sign-out: see
   * {@link Auth.requireUser}. With configured keys it uses neither database nor network; keys that
   * Latchkey generates are read from the database by the first call, and for a token with an
   * unknown key.
   *
   * @throws AuthError `bad_jwt` (401), and where Latchkey generates the keys `service_unavailable`
   *   (503).
   */
  verifyToken(accessToken: string): Promise<AccessTokenClaims>
  /**
   * Returns the user of a request, as stored, in one query. Users of another audience than
   * `jwt.audience` are rejected, here and below; `auth.api.getUser` accepts them.
   *
   * @throws AuthError `no_authorization`, `bad_jwt` (also when it expired), `session_not_found`,
   *   `session_expired`, `user_not_found` (401), `user_banned`, `insufficient_scope` (for a token
   *   of an OAuth client without the scopes of `scope`, 403), `service_unavailable` (503).
   *   On the wire, all but the first and the last have 403.
   * @throws AuthError with `aal: 2`, `insufficient_aal` (403) where the user has a second factor
   *   and the session has not proved it, `mfa_factor_not_found` (403) where the user has none; with
   *   `within`, `reauthentication_needed` (403) where the proof is older. `details.stepUp` contains
   *   the required step: `enroll`, `verify` or `sign_in`.
   * @throws TypeError for an unknown option, an invalid value, or a value that is no request.
   * @example
   * await auth.requireUser(request, { aal: 2, within: '5m' })
   */
  requireUser(
    request: RequestLike,
    options?: RequiredAssurance & RequiredScopes & { strict?: true | undefined },
  ): Promise<Viewer>
  /**
   * Returns, with `strict: false`, the user and session in the request's token, verified as by
   * `verifyToken`, without a query. A sign-out, a ban or the removal of a factor since then has
   * effect only once the token expires. Whether the user has a second factor is not known:
   * `insufficient_aal` is thrown in either case, without `stepUp`.
   *
   * @throws AuthError `no_authorization`, `bad_jwt` (401), `insufficient_aal`,
   *   `reauthentication_needed` (403), and where Latchkey generates the keys `service_unavailable`
   *   (503).
   */
  requireUser(
    request: RequestLike,
    options: RequiredAssurance & RequiredScopes & { strict: false },
  ): Promise<ClaimedViewer>
  /**
   * Describes a resource whose access tokens the OAuth server issues, such as an API or an MCP
   * server, and verifies them. A token of it is accepted nowhere else.
   *
   * @throws TypeError where `oauthServer` is disabled, and for a resource or scope that it does not
   *   contain.
   * @example
   * const invoices = auth.protectedResource({
   *   resource: 'https://api.example.com/invoices',
   *   scopes: ['invoice:read'],
   * })
   */
  protectedResource(options: ProtectedResourceOptions): ProtectedResource
}

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
  const drain = createDrain()
  let starting: Promise<Runtime> | undefined
  /** The started runtime, until it is closed. */
  let live: Runtime | undefined
  let isEnding = false
  const runtime = (): Promise<Runtime> => {
    starting ??= import('./runtime.ts')
      .then(({ startRuntime }) =>
        startRuntime(config, { ...world, capabilities, givenPaths: () => givenPathsOf(given) }),
      )
      .then((started) => {
        if (!isEnding) live = started
        return started
      })
      // A failed start is tried again at the next request: the database may be reachable by then.
      .catch((error) => {
        starting = undefined
        throw error
      })
    return starting
  }
  /** Starts the service outside a request, where a host's `waitUntil` may not be called. */
  const start = (): Promise<Runtime> => drain.track(runtime)
  /** Runs work that does not wait for due background tasks. */
  const withRuntime = <T>(
    use: (running: Runtime) => T | Promise<T>,
    { waitUntil, isAwaited = false }: Partial<RequestScope> = {},
  ): Promise<T> =>
    drain.track(async () => {
      const running = await runtime()
      const scope = { waitUntil: waitUntil ?? config.background.waitUntil, isAwaited }
      return running.background.runWithin(async () => use(running), scope)
    })
  const withApi = <T>(use: (running: Runtime) => Promise<T>): Promise<T> =>
    withRuntime(use, { isAwaited: true })

  const answerRouted = async (request: ServiceRequest): Promise<Answer> => {
    let isRunning = false
    const scope = { waitUntil: waitUntilOf(request), isAwaited: true }
    try {
      return await withRuntime(({ app }) => {
        isRunning = true
        return app.answer(request)
      }, scope)
    } catch (error) {
      const respond = isRunning ? answerFault : answerWithoutRuntime
      return respond(logger, error, request)
    }
  }
  const atOnce: AnswerAtOnce = (request) => live?.app.answerAtOnce?.(request) ?? null
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
  const configuredKeys = configuredKeyRing(config.jwt)
  const clock = world.clock ?? systemClock

  const verifyToken = async (
    accessToken: string,
    accepted?: AcceptedCaller,
  ): Promise<AccessTokenClaims> => {
    const keys = configuredKeys ?? (await withRuntime(({ deps }) => deps.keys))
    return verifyOwnToken({ keys, clock, config }, accessToken, accepted)
  }
  const requireUser = async (
    request: RequestLike,
    options: RequireUserOptions = {},
  ): Promise<Viewer | ClaimedViewer> => {
    const stepUp = readStepUp(options)
    const scopes = options.scope === undefined ? null : readScopes(options.scope)
    const token = bearerOf(request)
    if (token === null) throw noAuthorization()
    if (options.strict !== false) {
      return withRuntime(({ requireViewer }) => requireViewer(token, stepUp, scopes))
    }
    const claims = await verifyToken(token, { acceptsClients: true })
    requireOwnToken(claims, { acceptsClients: scopes !== null })
    if (claims.client_id !== undefined) requireScopes(claims.scope, scopes ?? undefined)
    const subject = readSubject(claims)
    const isStrong = claims.aal === 'aal2'
    requireStepUp(stepUp, { claims, isStrong, hasFactor: null }, clock.now())
    return { ...subject, claims }
  }

  const resourceNeeds: ResourceNeeds = {
    config,
    now: () => clock.now(),
    keys: async () => configuredKeys ?? (await withRuntime(({ deps }) => deps.keys)),
    requireLive: (claims) => withRuntime(({ requireLiveGrant }) => requireLiveGrant(claims)),
  }

  const host: CapabilityHost = {
    logger,
    register: (capability) => {
      capabilities.push(capability)
      return (work) => withRuntime(async ({ register }) => work(await register(capability)))
    },
  }

  const end = async (how: 'close' | 'retire'): Promise<void> => {
    isEnding = true
    live = undefined
    await drain.close()
    const started = await starting?.catch(() => undefined)
    await started?.[how]()
  }

  // Its type does not declare the property that our adapters look for.
  const app = { fetch, [answering]: answer }
  const auth: Auth & { [capabilityHost]: CapabilityHost } = {
    fetch: (request, options = {}) => fetch(withOptions(request, options)),
    basePath: config.basePath,
    app,
    callOptions: (request, options) => callOptionsOf(config, request, options),
    api: {
      ...lazily<AuthMethods>(authMethods, (call) => withApi(({ api }) => call(api))),
      oauth: lazily<OauthApi>(oauthMethods, (call) => withApi(({ api }) => call(api.oauth))),
    },
    admin: lazily<AdminApi>(adminMethods, (call) => withApi(({ admin }) => call(admin))),
    outbox: lazily<OutboxApi>(outboxMethods, (call) => withApi(({ outbox }) => call(outbox))),
    mailboxUrl: async () => (await start()).mailboxUrl,
    ready: () => withDatabaseReason(start().then(() => {})),
    runDueWork: async ({ withinSeconds = 25 } = {}) => {
      if (!(withinSeconds >= 0 && withinSeconds <= maxTimerSeconds)) {
        throw new TypeError(`withinSeconds must be a number from 0 to ${maxTimerSeconds}`)
      }
      return withRuntime(({ runDueWork }) => runDueWork(withinSeconds * 1000))
    },
    close: () => end('close'),
    verifyToken: (accessToken) => withHostStatus(verifyToken(accessToken)),
    requireUser: ((request: RequestLike, options?: RequireUserOptions) =>
      withHostStatus(requireUser(request, options))) as Auth['requireUser'],
    protectedResource: (options) => createProtectedResource(resourceNeeds, options),
    [capabilityHost]: host,
  }
  withGivenConfig(auth, () => given)
  return { auth, runtime, retire: () => end('retire') }
}

export const outboxMethods: MethodsOf<OutboxApi> = {
  list: true,
  retry: true,
  discard: true,
  preview: true,
}

/**
 * Whether this is production. The only environment variable that code reads, which can only forbid.
 */
export const isProduction = (): boolean =>
  // biome-ignore lint/style/noProcessEnv: what development makes easy must not happen in production
  isProductionEnv(process.env['NODE_ENV'])

/**
 * Replaces the message of an error of the database by that of its cause, which names host, port and
 * database. Only `ready` does so: hosts may pass on the errors of other calls to their clients.
 */
async function withDatabaseReason<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { cause } = Object(error)
    if (!(error instanceof AuthError) || Object(cause).name !== 'DatabaseError') throw error
    throw new AuthError(error.code, error.status, cause.message, error.details, { cause })
  }
}

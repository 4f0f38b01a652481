import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { TokenSubject } from '../../credentials/access-tokens/token-subject.ts'
import type { RequestLike } from '../../platform/http/request-like.ts'
import type { RequestOptions } from '../../platform/http/request-options.ts'
import type { AdminApi } from './admin-api.ts'
import type { AuthApi } from './auth-api.ts'
import type { CallOptions } from './call-options.ts'
import type { OutboxApi } from './outbox-api.ts'
import type { ProtectedResource, ProtectedResourceOptions } from './protected-resource.ts'
import type { DueWork } from './run-due-work.ts'
import type { RequiredAssurance, RequiredScopes } from './step-up.ts'
import type { Viewer } from './viewer.ts'

/** The user of a request, by its token only. */
export interface ClaimedViewer extends TokenSubject {
  claims: AccessTokenClaims
}

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
  /** Serves requests of frameworks that mount an application by its `fetch`. */
  readonly app: { fetch(request: Request): Promise<Response> }
  /** The public endpoints as functions. */
  readonly api: AuthApi
  /**
   * Returns the options of a call that serves a request: address, user agent and languages of the
   * client. Without them messages are in English, and sessions have no address.
   *
   * @param options.ip the address of the socket's peer, for hosts whose request does not contain
   *   it.
   * @example await auth.api.signUp({ email, password }, auth.callOptions(request))
   */
  callOptions(
    request: RequestLike,
    options?: { ip?: string | undefined },
  ): Pick<CallOptions, 'ip' | 'userAgent' | 'languages'>
  /**
   * The operators' endpoints as functions. They require no token, so pass no input of other users
   * to them unchecked.
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
   *   {@link TelemetryStartError} where telemetry is enabled and not available;
   *   {@link ClosedError} after `close`.
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
   * Verifies an access token of a user: signature, `exp` and `nbf`, `iss` where `jwt.issuer` is
   * set, and `aud`. Tokens of OAuth clients are rejected. It does not detect a sign-out: see
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

import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { RequestLike } from '../../platform/http/request-like.ts'

/** A resource whose access tokens the OAuth server issues, such as an API or an MCP server. */
export interface ProtectedResourceOptions {
  /** Its URL, which is the audience of its tokens: `https://api.example.com/mcp`. @see RFC 8707 */
  resource: string
  /** The scopes that it knows. A token needs one of them, unless `scope` requires others. */
  scopes?: readonly string[] | undefined
  /** Its name, for users. */
  name?: string | undefined
}

/** The access that a request requires. */
export interface RequiredAccess {
  /** Scopes that the token has to contain, all of them. Default: one of the resource. */
  scope?: string | readonly string[] | undefined
  /**
   * With `true`, one query ensures that the session has not ended, so that a revoked grant has
   * effect at once. Default: false, which needs no query.
   */
  strict?: boolean | undefined
}

/** The access of a verified token. */
export interface ResourceAccess {
  /** Null for a token of the client itself. */
  userId: string | null
  clientId: string
  scopes: string[]
  expiresAt: Date
  token: string
  claims: AccessTokenClaims
}

/** The metadata of a resource. @see RFC 9728 §2 */
export interface ResourceMetadata {
  resource: string
  authorization_servers: string[]
  bearer_methods_supported: string[]
  scopes_supported?: string[]
  resource_name?: string
}

/** The parts of a request that {@link ProtectedResource.protect} reads. */
export type ResourceRequest = RequestLike & {
  /** With or without the origin. */
  readonly url: string
  readonly method: string
}

export interface ProtectedResource {
  readonly metadata: ResourceMetadata
  /** The URL at which clients request the metadata. */
  readonly metadataUrl: string
  /** Its path, to which a host routes requests for the metadata. */
  readonly metadataPath: string
  /**
   * Verifies the access token of a request: signature, lifetime, audience and scope.
   *
   * @throws AuthError `no_authorization`, `bad_jwt`, `insufficient_scope` (403); with `strict` also
   *   `session_not_found`, `session_expired`, `user_not_found`, `user_banned`.
   */
  verify(request: RequestLike, options?: RequiredAccess): Promise<ResourceAccess>
  /**
   * Returns the response to an error of `verify`, with the header by which clients find the
   * authorization server. Throws any other error again.
   *
   * @see RFC 6750 §3, RFC 9728 §5.1
   */
  reject(error: unknown): Response
  /**
   * Responds to a request for the metadata, and to one without access; returns the access of any
   * other request.
   *
   * @example
   * const access = await resource.protect(request)
   * if (access instanceof Response) return access
   */
  protect(request: ResourceRequest, options?: RequiredAccess): Promise<Response | ResourceAccess>
}

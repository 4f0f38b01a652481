import { badJwt, scopeMissing } from '../../credentials/access-tokens/access-token-errors.ts'
import { type AccessTokenClaims, isForResource } from '../../credentials/access-tokens/claims.ts'
import type { KeyRing } from '../../credentials/access-tokens/key-ring.ts'
import { sharedClaims } from '../../credentials/access-tokens/verified-token-cache.ts'
import { verifyAccessToken } from '../../credentials/access-tokens/verify-access-token.ts'
import type { Config } from '../../platform/config/config.ts'
import { issuerOf } from '../../platform/config/issuer-of.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { noAuthorization } from '../../platform/errors/request-errors.ts'
import { bearerOf } from '../../platform/http/request-like.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import type {
  ProtectedResource,
  ProtectedResourceOptions,
  ResourceMetadata,
} from './protected-resource.ts'
import { requireScopes } from './step-up.ts'

/**
 * The parts of a service by which a resource verifies tokens.
 *
 * @internal
 */
export interface ResourceNeeds {
  config: Config
  now(): Date
  keys(): Promise<KeyRing>
  /** Ensures, with one query, that the session of a token has not ended. */
  requireLive(claims: AccessTokenClaims): Promise<string>
}

const wellKnown = '/.well-known/oauth-protected-resource'

const preflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': '*',
}

/**
 * Describes a resource, and verifies its tokens.
 *
 * @throws TypeError for a resource or scope for which no tokens are issued.
 * @internal
 */
export function createProtectedResource(
  needs: ResourceNeeds,
  { resource, scopes = [], name, ...rest }: ProtectedResourceOptions,
): ProtectedResource {
  const { config } = needs
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new TypeError(`unknown option ${unknown}`)
  requireIssued(config, resource, scopes)
  const url = new URL(resource)
  const path = url.pathname === '/' ? '' : url.pathname
  const metadataPath = `${wellKnown}${path}`
  const metadataUrl = `${url.origin}${metadataPath}`
  const metadata: ResourceMetadata = {
    resource,
    authorization_servers: [issuerOf(config)],
    bearer_methods_supported: ['header'],
    ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
    ...(name !== undefined && { resource_name: name }),
  }

  const verify: ProtectedResource['verify'] = async (request, options = {}) => {
    const { scope, strict = false } = options
    const token = bearerOf(request)
    if (token === null) throw noAuthorization()
    const terms = { now: needs.now(), issuer: config.jwt.issuer }
    const claims = await verifyAccessToken(await needs.keys(), token, terms)
    const [audience, ...others] = [claims.aud].flat()
    if (audience !== resource || others.length > 0 || !isForResource(claims)) {
      throw badJwt('token has invalid claims: token has invalid audience')
    }
    const { client_id: clientId, exp, sub } = claims
    // A proof of possession is valid once, which would require a query for each request.
    if (claims['cnf'] !== undefined) throw badJwt('token is bound to a key')
    const requireGranted = (text: string | undefined): string[] => {
      const granted = requireScopes(text, scope)
      const isListed = scope !== undefined || scopes.length === 0
      if (isListed || scopes.some((one) => granted.includes(one))) return granted
      throw scopeMissing()
    }
    const stated = requireGranted(claims.scope)
    const granted = strict ? requireGranted(await needs.requireLive(claims)) : stated
    return {
      userId: sub !== undefined && sub !== clientId && isUuid(sub) ? sub : null,
      clientId,
      scopes: granted,
      expiresAt: new Date(Number(exp) * 1000),
      token,
      claims: sharedClaims(claims),
    }
  }

  const reject: ProtectedResource['reject'] = (error) => {
    if (!(error instanceof AuthError) || (error.status !== 401 && error.status !== 403)) throw error
    const isMissing = error.code === 'no_authorization'
    const isScope = error.code === 'insufficient_scope'
    const status = isScope ? 403 : 401
    const parameters = {
      ...(!isMissing && { error: isScope ? 'insufficient_scope' : 'invalid_token' }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      resource_metadata: metadataUrl,
    }
    const challenge = Object.entries(parameters).map(([key, value]) => `${key}="${value}"`)
    const body = { code: error.code, message: error.message }
    return Response.json(body, {
      status,
      headers: {
        'www-authenticate': `Bearer ${challenge.join(', ')}`,
        'cache-control': 'no-store',
      },
    })
  }

  const protect: ProtectedResource['protect'] = async (request, options) => {
    const { method } = request
    const isOfMetadata = URL.parse(request.url, resource)?.pathname === metadataPath
    if (isOfMetadata && (method === 'GET' || method === 'HEAD')) {
      return Response.json(metadata, { headers: { 'access-control-allow-origin': '*' } })
    }
    // Clients in browsers send headers of their protocol.
    if (isOfMetadata && method === 'OPTIONS') return new Response(null, { headers: preflight })
    return verify(request, options).catch(reject)
  }
  return { metadata, metadataUrl, metadataPath, verify, reject, protect }
}

function requireIssued(
  { oauthServer, jwt }: Config,
  resource: unknown,
  scopes: readonly string[],
): asserts resource is string {
  if (!oauthServer.enabled) throw new TypeError('protectedResource requires oauthServer.enabled')
  const isUrl = typeof resource === 'string' && /^https?:\/\/[^\s#?]+$/i.test(resource)
  if (!isUrl || !URL.canParse(resource)) {
    throw new TypeError('resource must be a URL without query and fragment')
  }
  if ([jwt.audience, ...jwt.signUpAudiences].includes(resource)) {
    throw new TypeError('resource must not be an audience of users')
  }
  if (oauthServer.resources.length > 0 && !oauthServer.resources.includes(resource)) {
    throw new TypeError('resource must be one of oauthServer.resources')
  }
  const unknown = scopes.find((scope) => !Object.hasOwn(oauthServer.scopes, scope))
  if (unknown !== undefined) throw new TypeError('scopes must be some of oauthServer.scopes')
}

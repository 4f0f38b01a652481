import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { KeyRing } from '../../credentials/access-tokens/key-ring.ts'
import {
  type AcceptedCaller,
  readSubject,
  requireOwnToken,
} from '../../credentials/access-tokens/token-subject.ts'
import type { Config } from '../../platform/config/config.ts'
import { noAuthorization } from '../../platform/errors/request-errors.ts'
import { bearerOf, type RequestLike } from '../../platform/http/request-like.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { Auth, ClaimedViewer } from './auth.ts'
import {
  type RequiredAssurance,
  type RequiredScopes,
  readScopes,
  readStepUp,
  requireScopes,
  requireStepUp,
  type StepUp,
} from './step-up.ts'
import { verifyOwnToken, withHostStatus } from './verify-own-token.ts'
import type { Viewer } from './viewer.ts'

interface TokenCheckNeeds {
  config: Config
  clock: Clock
  /** Returns the keys. Configured ones need neither database nor start. */
  keys(): Promise<KeyRing>
  /** Returns the stored user of a token, in one query. */
  requireViewer(token: string, stepUp: StepUp, scopes: readonly string[] | null): Promise<Viewer>
}

type RequireUserOptions = RequiredAssurance &
  RequiredScopes & { strict?: boolean | null | undefined }

/** Returns the methods of `Auth` that verify the token of a user. */
export function createTokenChecks({
  config,
  clock,
  keys,
  requireViewer,
}: TokenCheckNeeds): Pick<Auth, 'verifyToken' | 'requireUser'> {
  const verifyToken = async (
    accessToken: string,
    accepted?: AcceptedCaller,
  ): Promise<AccessTokenClaims> =>
    verifyOwnToken({ keys: await keys(), clock, config }, accessToken, accepted)

  const requireUser = async (
    request: RequestLike,
    options: RequireUserOptions = {},
  ): Promise<Viewer | ClaimedViewer> => {
    const stepUp = readStepUp(options)
    const scopes = options.scope === undefined ? null : readScopes(options.scope)
    const token = bearerOf(request)
    if (token === null) throw noAuthorization()
    if (options.strict !== false) return requireViewer(token, stepUp, scopes)
    const claims = await verifyToken(token, { acceptsClients: true })
    requireOwnToken(claims, { acceptsClients: scopes !== null })
    if (claims.client_id !== undefined) requireScopes(claims.scope, scopes ?? undefined)
    const subject = readSubject(claims)
    const isStrong = claims.aal === 'aal2'
    requireStepUp(stepUp, { claims, isStrong, hasFactor: null }, clock.now())
    return { ...subject, claims }
  }

  return {
    verifyToken: (accessToken) => withHostStatus(verifyToken(accessToken)),
    requireUser: ((request: RequestLike, options?: RequireUserOptions) =>
      withHostStatus(requireUser(request, options))) as Auth['requireUser'],
  }
}

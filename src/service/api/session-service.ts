import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { RequestLike } from '../../platform/http/request-like.ts'
import type { RequestOptions } from '../../platform/http/request-options.ts'
import type { AuthApi } from './auth-api.ts'
import type { CallOptions } from './call-options.ts'
import type { RequiredAssurance } from './step-up.ts'
import type { Viewer } from './viewer.ts'

/** The parts of a service that sessions in cookies need. `Auth` has them. */
export interface SessionService {
  readonly api: AuthApi
  readonly basePath: string
  fetch(request: Request, options?: RequestOptions): Promise<Response>
  callOptions(
    request: RequestLike,
    options?: { ip?: string | undefined },
  ): Pick<CallOptions, 'ip' | 'userAgent' | 'languages'>
  verifyToken(accessToken: string): Promise<AccessTokenClaims>
  requireUser(
    request: RequestLike,
    options?: RequiredAssurance & { strict?: true | undefined },
  ): Promise<Viewer>
}

import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { badJwt } from '../../../credentials/access-tokens/access-token-errors.ts'
import { implementSeparately } from '../../../endpoints/http/implement.ts'
import { limitClient } from '../../../endpoints/http/limit-client.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { type Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { readOptionalBearer } from '../../../platform/http/read-request.ts'
import { verifyProof } from '../protocol/dpop.ts'
import { inOauthForm } from '../protocol/oauth-answer.ts'
import { readUserinfo } from './read-userinfo.ts'
import { userinfo, userinfoByPostEndpoint, userinfoEndpoint } from './userinfo.endpoint.ts'

export const userinfoRoutes = [
  implementSeparately(userinfoEndpoint, {
    handle:
      () =>
      ({ ctx, event }) =>
        answerUserinfo(ctx, event),
  }),
  implementSeparately(userinfoByPostEndpoint, {
    handle:
      () =>
      ({ ctx, event }) =>
        answerUserinfo(ctx, event),
  }),
] as const

async function answerUserinfo(ctx: AuthContext, event: H3Event): Promise<Answer> {
  const proved = readProved(event)
  const token = proved ?? readOptionalBearer(event)
  return inOauthForm(
    event,
    { errorOf: () => 'invalid_token', headersOf: () => challenge(token), statusOf: () => 401 },
    async () => {
      if (token === null) throw new AuthError('no_authorization', 401, 'A bearer token is required')
      if (proved === null) return jsonAnswer(200, await readUserinfo(ctx, token, async () => null))
      // A proof is verified and stored.
      await limitClient(ctx, 'token')
      const { method } = event.req
      const claims = await readUserinfo(ctx, proved, async (keyThumbprint) => {
        if (keyThumbprint === null) throw badJwt('token is not bound to a key')
        const bound = { accessToken: proved, keyThumbprint }
        return verifyProof(ctx, event, { method, path: userinfo.path, bound })
      })
      return jsonAnswer(200, claims)
    },
  )
}

/** Returns the token of a request that proves the possession of its key. @see RFC 9449 §7.1 */
const readProved = (event: H3Event): string | null =>
  /^dpop +([\w.~+/=-]+)$/i.exec(event.req.headers.get('authorization') ?? '')?.[1] ?? null

/** @see RFC 6750 §3 */
const challenge = (token: string | null): Record<string, string> => ({
  'www-authenticate': token === null ? 'Bearer' : 'Bearer error="invalid_token"',
})

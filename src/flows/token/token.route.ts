import type { H3, H3Event } from 'h3'
import type { AuthContext, Deps } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { checkCaptcha } from '../../guards/check-captcha.ts'
import { limitClient } from '../../guards/limit-client.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser, presentUserRow } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readOptionalBearer, readQuery } from '../../http/read-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { exchangeCode } from './exchange-code.ts'
import { refreshSession } from './refresh-session.ts'
import { signInWithIdToken } from './sign-in-with-id-token.ts'
import { signInWithPassword } from './sign-in-with-password.ts'
import { requireWallets, signInWithWallet } from './sign-in-with-wallet.ts'
import {
  codeGrant,
  idTokenGrant,
  passwordGrant,
  refreshGrant,
  web3Grant,
} from './token.endpoint.ts'

interface Grant {
  endpoint: Endpoint & { limit: typeof passwordGrant.limit | typeof web3Grant.limit }
  answer(ctx: AuthContext, event: H3Event): Promise<object>
}

const grants: Record<string, Grant> = {
  password: { endpoint: passwordGrant, answer: signIn },
  refresh_token: { endpoint: refreshGrant, answer: refresh },
  pkce: { endpoint: codeGrant, answer: exchange },
  id_token: { endpoint: idTokenGrant, answer: signInByIdToken },
  web3: { endpoint: web3Grant, answer: signInByWallet },
}

/** `POST /token?grant_type=…`: trades a grant for a session. @see RFC 6749 §3.2 */
export function tokenRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, passwordGrant, async (event) => {
    const ctx = openContext(deps, event)
    const name = readQuery(event, 'grant_type') ?? ''
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined
    if (grant) event.context.grant = name
    if (!grant || grant.endpoint.captcha) await checkCaptcha(ctx, event, passwordGrant)
    if (!grant) throw unsupportedGrant()
    await limitClient(ctx, grant.endpoint.limit)
    return grant.answer(ctx, event)
  })
}

async function signIn(ctx: AuthContext, event: H3Event) {
  const credentials = await readInput(event, passwordGrant)

  const { user, session, weakPassword } = await signInWithPassword(ctx, credentials)
  return { ...presentSession(presentUser(user), session), weak_password: weakPassword }
}

async function refresh(ctx: AuthContext, event: H3Event) {
  const { refreshToken = '' } = await readInput(event, refreshGrant)

  const { user, session } = await refreshSession(ctx, refreshToken)
  return presentSession(presentUserRow(user), session)
}

async function exchange(ctx: AuthContext, event: H3Event) {
  const input = await readInput(event, codeGrant)

  const { user, session, providerTokens } = await exchangeCode(ctx, input)
  return {
    ...presentSession(presentUser(user), session),
    provider_token: providerTokens?.accessToken,
    provider_refresh_token: providerTokens?.refreshToken ?? undefined,
  }
}

async function signInByIdToken(ctx: AuthContext, event: H3Event) {
  const input = await readInput(event, idTokenGrant)

  const { user, session } = await signInWithIdToken(ctx, input, readOptionalBearer(event))
  return presentSession(presentUser(user), session)
}

async function signInByWallet(ctx: AuthContext, event: H3Event) {
  requireWallets(ctx)
  const input = await readInput(event, web3Grant)

  const { user, session } = await signInWithWallet(ctx, input)
  return presentSession(presentUser(user), session)
}

const unsupportedGrant = (): AuthError =>
  new AuthError('invalid_credentials', 400, 'grant_type: unsupported_grant_type')

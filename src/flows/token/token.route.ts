import type { H3, H3Event } from 'h3'
import { object } from 'superstruct'
import type { AuthContext, Deps } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { checkInput } from '../../http/check-input.ts'
import { Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser, presentUserRow } from '../../http/present-user.ts'
import { readJson } from '../../http/read-json.ts'
import { readQuery } from '../../http/read-request.ts'
import { exchangeCode } from './exchange-code.ts'
import { refreshSession } from './refresh-session.ts'
import { signInWithPassword } from './sign-in-with-password.ts'

/** Bodies of `POST /token`, by grant. */
const PasswordBody = object({ email: Text, phone: Text, password: Text })
const RefreshBody = object({ refresh_token: Text })
const PkceBody = object({ auth_code: Text, code_verifier: Text })

type Grant = (ctx: AuthContext, event: H3Event) => Promise<object>

const grants: Record<string, Grant> = {
  password: passwordGrant,
  refresh_token: refreshGrant,
  pkce: pkceGrant,
}

/** `POST /token?grant_type=…`: trades a grant for a session. @see RFC 6749 §3.2 */
export function tokenRoute(app: H3, deps: Deps): void {
  app.post('/token', async (event) => {
    const ctx = openContext(deps, event)
    const name = readQuery(event, 'grant_type') ?? ''
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined
    if (!grant) throw unsupportedGrant()
    await limitClient(ctx, 'token')
    return grant(ctx, event)
  })
}

async function passwordGrant(ctx: AuthContext, event: H3Event) {
  const credentials = checkInput(await readJson(event), PasswordBody)

  const { account, session, weakPassword } = await signInWithPassword(ctx, credentials)
  return { ...presentSession(presentUser(account), session), weak_password: weakPassword }
}

async function refreshGrant(ctx: AuthContext, event: H3Event) {
  const body = checkInput(await readJson(event), RefreshBody)

  const { user, session } = await refreshSession(ctx, body.refresh_token ?? '')
  return presentSession(presentUserRow(user), session)
}

async function pkceGrant(ctx: AuthContext, event: H3Event) {
  const body = checkInput(await readJson(event), PkceBody)

  const exchange = { authCode: body.auth_code, codeVerifier: body.code_verifier }
  const { account, session } = await exchangeCode(ctx, exchange)
  return presentSession(presentUser(account), session)
}

const unsupportedGrant = (): AuthError =>
  new AuthError('invalid_credentials', 400, 'grant_type: unsupported_grant_type')

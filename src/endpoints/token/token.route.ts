import { presentSession } from '../../accounts/sessions/present-session.ts'
import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { presentUserRow } from '../../accounts/users/present-user.ts'
import { toUser } from '../../accounts/users/user-row.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import { readOptionalBearer, readQuery } from '../../platform/http/read-request.ts'
import { implement, implementSeparately, onOnePath } from '../http/implement.ts'
import { exchangeCode } from './exchange-code.ts'
import { refreshSession } from './refresh-session.ts'
import { signInWithIdToken } from './sign-in-with-id-token.ts'
import { signInWithPassword } from './sign-in-with-password.ts'
import { signInWithWallet } from './sign-in-with-wallet.ts'
import {
  codeGrant,
  idTokenGrant,
  passwordGrant,
  refreshGrant,
  web3Grant,
} from './token.endpoint.ts'

const grants = {
  password: implementSeparately(passwordGrant, {
    handle:
      () =>
      async ({ ctx, event, input }) => {
        // A client without a known grant passes the guards of this one.
        if (event.context.grant === undefined) throw unsupportedGrant()
        const { weakPassword, ...signedIn } = await signInWithPassword(ctx, input)
        return { ...presentSignedIn(signedIn), weak_password: weakPassword }
      },
    run: ({ ctx, input }) => signInWithPassword(ctx, input),
  }),
  refresh_token: implement(refreshGrant, {
    run: ({ ctx, input }) => refreshSession(ctx, input.refreshToken ?? ''),
    present: ({ user, session }) => presentSession(presentUserRow(user), session),
    returns: ({ user, session }) => ({ user: toUser(user), session }),
  }),
  pkce: implement(codeGrant, {
    run: ({ ctx, input }) => exchangeCode(ctx, input),
    present: ({ providerTokens, ...signedIn }) => ({
      ...presentSignedIn(signedIn),
      provider_token: providerTokens?.accessToken,
      provider_refresh_token: providerTokens?.refreshToken ?? undefined,
    }),
  }),
  id_token: implementSeparately(idTokenGrant, {
    handle:
      () =>
      async ({ ctx, event, input }) =>
        presentSignedIn(await signInWithIdToken(ctx, input, readOptionalBearer(event))),
    fields: fields({ ...idTokenGrant.body.kinds, accessToken: Text }),
    run: ({ ctx, input: { accessToken = null, ...input } }) =>
      signInWithIdToken(ctx, input, accessToken),
  }),
  web3: implement(web3Grant, {
    run: ({ ctx, input }) => signInWithWallet(ctx, input),
    present: presentSignedIn,
  }),
}

/** `POST /token?grant_type=…`: exchanges a grant for a session. @see RFC 6749 §3.2 */
export const tokenRoutes = [
  onOnePath(
    [grants.password, grants.refresh_token, grants.pkce, grants.id_token, grants.web3],
    (event) => {
      const name = readQuery(event, 'grant_type') ?? ''
      if (!isGrant(name)) return grants.password
      event.context.grant = name
      return grants[name]
    },
  ),
] as const

const isGrant = (name: string): name is keyof typeof grants => Object.hasOwn(grants, name)

const unsupportedGrant = (): AuthError =>
  new AuthError('invalid_credentials', 400, 'grant_type: unsupported_grant_type')

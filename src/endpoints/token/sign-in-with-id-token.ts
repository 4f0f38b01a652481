import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Actor, authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import { requireMayLink } from '../../accounts/external-sign-in/require-may-link.ts'
import { signInExternally } from '../../accounts/external-sign-in/sign-in-externally.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { mapExternalAccount } from '../../credentials/external/external-account.ts'
import { linkingNeedsToken } from '../../credentials/external/id-token-errors.ts'
import { verifyExternalIdToken } from '../../credentials/external/protocol/verify-external-id-token.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { SignInWithIdTokenInput } from './token.endpoint.ts'

/**
 * Signs in with an id token that the client obtained from a provider itself, as an app on a phone
 * does; or links the identity to the user of an access token.
 *
 * @param accessToken of the user who links.
 * @throws AuthError the errors of `verifyExternalIdToken` and `signInExternally`; for linking,
 *   those of `authenticateCaller` and `requireMayLink`.
 */
export async function signInWithIdToken(
  ctx: AuthContext,
  { providerAccessToken, linkIdentity: isLinking, ...sent }: Unvalidated<SignInWithIdTokenInput>,
  accessToken: string | null,
): Promise<IssuedSession> {
  const actor = isLinking && sent.idToken ? await requireActor(ctx, accessToken) : null
  const verified = await verifyExternalIdToken(ctx, { ...sent, accessToken: providerAccessToken })
  const { settings } = verified.provider
  const { end } = await signInExternally(ctx, {
    purpose: actor ? { kind: 'linking', actor, shownAccount: null } : { kind: 'sign-in' },
    person: mapExternalAccount(verified.provider, settings, verified.profile),
    settings,
    singleUse: verified.singleUse,
    tokens: null,
    redirectTo: ctx.config.siteUrl,
    browserHash: null,
    prepare: (proved) => prepareSession(ctx, { ...proved, method: 'oauth' }),
  })
  return end
}

async function requireActor(ctx: AuthContext, accessToken: string | null): Promise<Actor> {
  if (accessToken === null) throw linkingNeedsToken()
  return requireMayLink(ctx, await authenticateCaller(ctx, accessToken))
}

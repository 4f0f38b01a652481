import type { AuthContext } from '../../deps.ts'
import type { Unread } from '../../http/endpoint.ts'
import { linkingNeedsToken } from '../../providers/id-token-errors.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { prepareSession } from '../../steps/complete-sign-in.ts'
import { mapPerson } from '../../steps/external-person.ts'
import type { SignedIn } from '../../steps/issue-session.ts'
import { linkIdentity, requireMayLink } from '../../steps/link-identity.ts'
import { signInExternally } from '../../steps/sign-in-externally.ts'
import { verifyExternalIdToken } from '../../steps/verify-external-id-token.ts'
import type { SignInWithIdTokenInput } from './token.endpoint.ts'

/**
 * Signs in by an id token that the client got from a provider itself, as an app on a phone does; or links the account
 * there to the user whose token comes with it.
 *
 * @param accessToken of the user who links.
 * @throws AuthError what `verifyExternalIdToken` and `signInExternally` throw; for linking, what `authenticateCaller`,
 *   `requireMayLink` and `linkIdentity` throw, and `manual_linking_disabled` (404).
 */
export async function signInWithIdToken(
  ctx: AuthContext,
  { providerAccessToken, linkIdentity: isLinking, ...sent }: Unread<SignInWithIdTokenInput>,
  accessToken: string | null,
): Promise<SignedIn> {
  const actor = isLinking && sent.idToken ? await requireLinker(ctx, accessToken) : null
  const verified = await verifyExternalIdToken(ctx, { ...sent, accessToken: providerAccessToken })
  const { settings } = verified.provider
  const order = {
    person: mapPerson(verified.provider, settings, verified.profile),
    tokens: null,
    redirectTo: ctx.config.siteUrl,
    prepare: (userId: string) => prepareSession(ctx, { userId, method: 'oauth' }),
  }
  const { end } = actor
    ? await linkIdentity(ctx, { ...order, actor })
    : await signInExternally(ctx, { ...order, settings, browserHash: null })
  return end
}

async function requireLinker(ctx: AuthContext, accessToken: string | null) {
  if (accessToken === null) throw linkingNeedsToken()
  return requireMayLink(ctx, await authenticateCaller(ctx, accessToken))
}

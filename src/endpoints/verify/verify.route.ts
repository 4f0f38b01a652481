import type { H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { linkExpired, otpExpired } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import type { User } from '../../accounts/users/user.ts'
import { hashingPriority } from '../../credentials/passwords/gate.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Answer, redirectAnswer } from '../../platform/http/answer.ts'
import { readBrowser } from '../../platform/http/browser-cookie.ts'
import { checkBody } from '../../platform/http/check-input.ts'
import { jsonIn } from '../../platform/http/plain-json.ts'
import { type Form, formIn, readQuery } from '../../platform/http/read-request.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { implementSeparately } from '../http/implement.ts'
import { readRedirectTo } from '../http/read-input.ts'
import { consumeMatchedToken } from './consume-matched-token.ts'
import { findMatchedToken } from './find-matched-token.ts'
import { followLink } from './follow-link.ts'
import { provedAtOf, recipientOf } from './matched-token.ts'
import { readVerification, type VerificationRequest } from './read-verification.ts'
import {
  type FollowLinkInput,
  followLinkEndpoint,
  type ProofType,
  verifyEndpoint,
} from './verify.endpoint.ts'

declare module '../http/implement.ts' {
  interface Pages {
    /** The page whose button submits a mailed link. */
    confirmLink(event: H3Event): Answer
  }
}

export const verifyRoutes = [
  implementSeparately(followLinkEndpoint, {
    page:
      ({ deps: { config }, pages }) =>
      (event) =>
        needsButton(config, readQuery(event, 'type')) ? pages.confirmLink(event) : null,
    handle:
      () =>
      async ({ ctx, event }) => {
        const target = await followLink(ctx, {
          type: readQuery(event, 'type'),
          token: readQuery(event, 'token'),
          redirect: readRedirectTo(event),
          browser: readBrowser(ctx.config, event),
        })
        return redirectAnswer(303, target)
      },
    run: async ({ ctx, input }) => ({ redirectTo: await followLink(ctx, input) }),
    // Programs that check a link before the user opens it send HEAD, which must not consume the
    // link.
    head: () => null,
  }),
  implementSeparately(verifyEndpoint, {
    readBody:
      ({ deps: { config } }) =>
      (text, event) => {
        const sent = formIn(event, text)
        const form = sent && needsButton(config, sent('type')) ? sent : null
        return { form, json: form ? {} : checkBody(jsonIn(text), verifyEndpoint.body) }
      },
    handle:
      () =>
      async ({ ctx, event, input: { form, json } }) => {
        if (form) {
          const browser = readBrowser(ctx.config, event)
          return redirectAnswer(303, await followLink(ctx, { ...linkIn(form), browser }))
        }
        const { type, user, session } = await verifyToken(ctx, json)
        return session ? { ...presentSignedIn({ user, session }), type } : halfway
      },
    run: ({ ctx, input }) => verifyToken(ctx, input),
  }),
] as const

/**
 * Returns whether a link of this type is followed only by a form. That is always so for a link that
 * ends the suspension of a credential: an attacker may have caused the mail, and a program that
 * opens its link would confirm the attacker's passkey.
 */
const needsButton = ({ links }: Pick<Config, 'links'>, type: string | undefined): boolean =>
  links.confirm === 'button' || type === 'credential'

/** The page sends no referrer, so the page that requested the link has no effect here. */
const linkIn = (form: Form): Unvalidated<FollowLinkInput> => ({
  type: form('type'),
  token: form('token'),
  redirect: { target: form('redirect_to') },
})

/**
 * The response when one of two addresses has confirmed a change. The code is a string, as clients
 * expect.
 */
const halfway = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
}

export interface VerificationResult {
  type: ProofType
  user: User
  /** Null while the other of two addresses must still confirm a change of email. */
  session: SessionTokens | null
}

/**
 * Proves control of an address by the link or code that was sent there, and signs in.
 *
 * A token is valid once, and its use revokes all other links and codes of the user. Proving an
 * unconfirmed address, by any token except the confirmation of the sign-up itself, removes
 * credentials that an attacker may have set up before: see `accounts/addresses/prove-address.ts`.
 *
 * @throws AuthError `otp_expired`, `user_banned` (403), `validation_failed` (400; 422 for a
 *   malformed email), `weak_password`, `email_exists`, `phone_exists` (422).
 */
async function verifyToken(
  ctx: AuthContext,
  request: VerificationRequest,
): Promise<VerificationResult> {
  const { type, input, password } = await readVerification(ctx, request)
  const matched = await findMatchedToken(ctx, type, input)
  const { id } = matched.stored.user
  const signIn = prepareSession(ctx, {
    userId: id,
    method: 'otp',
    sentTo: recipientOf(matched),
    provedAt: provedAtOf(matched),
  })
  const setsPassword = firstPassword(ctx, id, password)
  const consumed = await consumeMatchedToken(ctx, matched, signIn.rows, setsPassword)
  if (!consumed) throw 'secret' in input ? linkExpired() : otpExpired()
  const { user, isComplete } = consumed
  if (!isComplete) return { type: matched.type, user, session: null }
  return { type: matched.type, ...(await signIn.complete(user)) }
}

/** Hashes the password only if the user gets one, and once for all attempts. */
function firstPassword(
  ctx: AuthContext,
  userId: string,
  password: string | null,
): (() => Promise<string>) | null {
  if (password === null) return null
  let hashing: Promise<string> | null = null
  return () => (hashing ??= ctx.passwords.hash(password, hashingPriority(ctx, userId, true)))
}

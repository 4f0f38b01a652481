import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { UserRow } from '../../../accounts/users/user-row.ts'
import type { Config } from '../../../platform/config/config.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'

/** The lifetime of an ID token. */
const lifetimeSeconds = 3600

/** The properties of a user that clients may read. */
export type DescribedUser = Pick<
  UserRow,
  | 'id'
  | 'email'
  | 'phone'
  | 'email_confirmed_at'
  | 'phone_confirmed_at'
  | 'user_metadata'
  | 'updated_at'
  | 'username'
>

interface IdToken {
  user: DescribedUser
  clientId: string
  scope: string
  nonce: string | undefined
  authTime: Date
  sessionId: string
}

/**
 * Issues an ID token. It is never signed with a shared secret: readers of it could issue others.
 *
 * @see OpenID Connect Core 1.0 §2
 */
export function issueIdToken(
  { config, clock, keys }: Pick<AuthContext, 'config' | 'clock' | 'keys'>,
  { user, clientId, scope, nonce, authTime, sessionId }: IdToken,
): Promise<string> {
  const issuedAt = Math.floor(clock.now().getTime() / 1000)
  return keys.sign({
    iss: issuerOf(config),
    sub: user.id,
    aud: clientId,
    exp: issuedAt + lifetimeSeconds,
    iat: issuedAt,
    auth_time: Math.floor(authTime.getTime() / 1000),
    ...(nonce !== undefined && { nonce }),
    sid: sessionId,
    email_verified: false,
    phone_number_verified: false,
    ...claimsAbout(config, user, scopesIn(scope)),
  })
}

/**
 * Returns the claims about a user that scopes permit. With autoconfirm an address is stored as
 * confirmed, but no user proved it, and relying parties link accounts by a verified one.
 *
 * @see OpenID Connect Core 1.0 §5.1, §5.4
 */
export function claimsAbout(
  { email, sms }: Pick<Config, 'email' | 'sms'>,
  user: DescribedUser,
  scopes: readonly string[],
): Record<string, unknown> {
  const { user_metadata: metadata } = user
  const hasEmail = scopes.includes('email') && Boolean(user.email)
  const hasPhone = scopes.includes('phone') && Boolean(user.phone)
  return {
    ...(hasEmail && {
      email: user.email,
      email_verified: !email.autoconfirm && user.email_confirmed_at !== null,
    }),
    ...(hasPhone && {
      phone_number: user.phone,
      phone_number_verified: !sms.autoconfirm && user.phone_confirmed_at !== null,
    }),
    ...(scopes.includes('profile') &&
      withoutUndefined({
        name: textOf(metadata['name']) ?? (hasEmail ? user.email : undefined),
        picture: webUrlOf(metadata['picture']) ?? webUrlOf(metadata['avatar_url']),
        // Unlike a user name, any user may choose these texts, such as the name of another user.
        preferred_username:
          user.username ?? textOf(metadata['preferred_username']) ?? textOf(metadata['username']),
        updated_at: Math.floor(new Date(user.updated_at).getTime() / 1000),
      })),
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Clients put the URL into pages, where one such as `javascript:…` would run. */
const webUrlOf = (value: unknown): string | undefined => {
  const url = /^https?:\/\/[!-~]+$/i.test(textOf(value) ?? '') ? URL.parse(String(value)) : null
  // Parsed, so that it contains no quotes and brackets.
  return url?.href
}

const withoutUndefined = (claims: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))

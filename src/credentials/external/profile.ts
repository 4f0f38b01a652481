import type {
  ExternalEmail,
  ExternalProfile,
  JsonReader,
} from '../../platform/config/sections/provider-definition.ts'

/** Returns the address of a provider that has at most one per user. */
export const oneEmail = (address: string | null, isVerified: boolean): ExternalEmail[] =>
  address === null ? [] : [{ address, isVerified }]

/** The claims that contain a name. */
export const named = (name: string | null) => ({ name, full_name: name })

/** The claims that contain the URL of a picture. */
export const pictured = (url: string | null) => ({ picture: url, avatar_url: url })

/** Joins first and last name; returns null without either. */
export const joinNames = (first: string | null, last: string | null): string | null =>
  `${first ?? ''} ${last ?? ''}`.trim() || null

/** Returns whether a member is true, or `'true'`: some providers write booleans as text. */
export const isTrueOrTrueText = (reader: JsonReader, member: string): boolean =>
  reader.isTrue(member) || reader.value(member) === 'true'

const texts = [
  'iss',
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'phone',
  'full_name',
  'avatar_url',
  'slug',
  'user_name',
]

/**
 * Reads the standard claims. A claim of another type is omitted.
 *
 * @param subject the member that identifies the user. Default `sub`.
 * @see OpenID Connect Core 1.0 §5.1
 */
export function readStandardClaims(claims: JsonReader, subject = 'sub'): ExternalProfile {
  const email = claims.text('email')
  const audience = claims.value('aud')
  return {
    subject: claims.text(subject),
    emails: email === null ? [] : [{ address: email, isVerified: claims.isTrue('email_verified') }],
    claims: {
      ...Object.fromEntries(texts.map((name) => [name, textIn(claims, name)])),
      aud:
        audience === undefined ? null : [audience].flat().filter((one) => typeof one === 'string'),
      iat: claims.number('iat'),
      exp: claims.number('exp'),
      updated_at: instantIn(claims, 'updated_at'),
    },
  }
}

const textIn = (claims: JsonReader, name: string): string | null => {
  const value = claims.value(name)
  return typeof value === 'string' ? value : null
}

const maxSeconds = 253_402_300_799

/** Returns a text unchanged, and seconds since 1970 as RFC 3339. */
function instantIn(claims: JsonReader, name: string): string | null {
  const seconds = claims.number(name)
  if (seconds === null) return textIn(claims, name)
  return seconds >= 0 && seconds <= maxSeconds ? new Date(seconds * 1000).toISOString() : null
}

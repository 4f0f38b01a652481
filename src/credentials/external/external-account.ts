import { readEmail } from '../../accounts/users/addresses.ts'
import { metadataBytes } from '../../accounts/users/metadata.ts'
import type { Identity } from '../../accounts/users/user.ts'
import type {
  ExternalEmail,
  ExternalProfile,
} from '../../platform/config/sections/provider-definition.ts'
import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { isStorable } from '../../platform/kit/storable-text.ts'
import { profileNotRead } from './protocol/provider-errors.ts'

/** A user at a provider, with the values of the profile that are valid. */
export interface ExternalAccount {
  /** The name of the provider in identities. */
  provider: string
  /** The name of the provider on pages and in messages. */
  label: string
  subject: string
  /** The primary address, or else the last, in lower case; null for none. */
  email: string | null
  /** True if the provider has verified `email`. */
  isEmailVerified: boolean
  /**
   * All addresses that the provider has verified, in lower case. Settings that confirm addresses do
   * not add any.
   */
  verified: readonly string[]
  /**
   * The linking domain of the organization whose directory asserts the addresses; null for that of
   * the provider.
   */
  linkingDomain: string | null
  /** The claims that are stored, by their names on the wire. */
  claims: Readonly<Record<string, unknown>>
}

const maxSubjectLength = 255
const maxEmails = 50
/** The maximum size of the claims of one identity, as JSON. */
const maxClaimsBytes = 16_384

/**
 * Reads the profile of a provider, after `mapProfile` of the application.
 *
 * @throws AuthError `unexpected_failure` (500) without a subject, or when `mapProfile` throws.
 */
export function mapExternalAccount(
  provider: { name: string; label: string },
  { mapProfile }: Pick<ResolvedProvider, 'mapProfile'>,
  profile: ExternalProfile,
): ExternalAccount {
  try {
    // A profile that the application fails to map is not used unmapped.
    return readExternalAccount(provider, mapProfile ? mapProfile(profile) : profile)
  } catch (error) {
    throw error instanceof AuthError ? error : profileNotRead(error)
  }
}

/**
 * Reads the profile of a provider. Invalid addresses are skipped.
 *
 * @throws AuthError `unexpected_failure` (500) without a subject.
 */
export function readExternalAccount(
  { name: provider, label }: { name: string; label: string },
  { subject, emails, claims, organization = null }: ExternalProfile,
): ExternalAccount {
  if (!isSubject(subject)) {
    throw profileNotRead(new Error('the profile has no subject, or one that cannot be stored'))
  }
  const known = emails.slice(0, maxEmails).flatMap(toKnownEmail)
  const linkingDomain = organization === null ? null : readOrganization(provider, organization)
  const primary = known.find(({ isPrimary }) => isPrimary) ?? known.at(-1)
  return {
    provider,
    label,
    subject,
    email: primary?.address ?? null,
    isEmailVerified: primary?.isVerified ?? false,
    verified: [
      ...new Set(known.filter(({ isVerified }) => isVerified).map(({ address }) => address)),
    ],
    linkingDomain,
    claims: thatFit({
      ...withoutEmpty(claims),
      linking_domain: linkingDomain ?? undefined,
      sub: subject,
      provider_id: subject,
      ...(primary && { email: primary.address }),
      email_verified: primary?.isVerified ?? false,
      phone_verified: false,
    }),
  }
}

/**
 * Values that a provider sends for many of its users in place of an id: zero, also as a UUID, and
 * the names of absent values.
 */
const noSubject = /^(?:[\s0{}.+-]*|null|undefined|none|nil|nan)$/i

/** Returns whether a value identifies one account of a provider. */
export const isSubject = (subject: unknown): subject is string =>
  typeof subject === 'string' &&
  !noSubject.test(subject) &&
  subject.length <= maxSubjectLength &&
  isStorable(subject)

/**
 * Returns the linking domain of an organization.
 *
 * @throws AuthError `unexpected_failure` (500) for a value that cannot be stored.
 */
function readOrganization(provider: string, organization: unknown): string {
  if (isSubject(organization)) return `${provider}:${organization}`
  throw profileNotRead(new Error('the profile has an organization that cannot be stored'))
}

type KnownEmail = Required<ExternalEmail>

function toKnownEmail({ address, isVerified, isPrimary = false }: ExternalEmail): KnownEmail[] {
  try {
    // A provider may send `'false'` as text.
    return [{ address: readEmail(address).value, isVerified: isVerified === true, isPrimary }]
  } catch {
    return []
  }
}

/** Removes empty values, and values that are nested too deep for some parsers. */
const withoutEmpty = (claims: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(claims).filter(
      ([, value]) =>
        value !== null && value !== undefined && value !== '' && isWithinDepth(value, maxDepth),
    ),
  )

const maxDepth = 100

const isWithinDepth = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1)))

/**
 * Removes the largest claims until the rest fits. A provider may send long lists, such as all
 * groups of a user.
 */
function thatFit(claims: Record<string, unknown>): Record<string, unknown> {
  const storable = storableOf(claims)
  const fitting = shrinking(storable).find((some) => metadataBytes(some) <= maxClaimsBytes)
  return fitting ?? {}
}

/** Returns the claims, then two smaller sets. Required claims are in all of them. */
function shrinking(claims: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const { custom_claims: _, ...others } = claims
  const { sub, provider_id, linking_domain, email, email_verified, phone_verified } = claims
  const least = { sub, provider_id, linking_domain, email, email_verified, phone_verified }
  return [{ ...claims }, others, least]
}

/** Removes values with NUL or a lone surrogate, which PostgreSQL cannot store. */
function storableOf(claims: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(claims, (key, value: unknown) =>
    isStorable(key) && (typeof value !== 'string' || isStorable(value)) ? value : undefined,
  )
  const read: unknown = JSON.parse(text)
  return isRecord(read) ? read : {}
}

/** Merges claims into the metadata of a user, as many as the size limit permits. */
export function metadataFrom(
  { linking_domain: _, ...claims }: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Record<string, unknown> {
  const isEmailVerified = { email_verified: claims['email_verified'] }
  const merged = [...shrinking(claims), isEmailVerified].map((some) => ({ ...current, ...some }))
  // Full metadata does not prevent the sign-in.
  return merged.find((metadata) => metadataBytes(metadata) <= maxBytes) ?? { ...current }
}

/** Returns whether an identity belongs to this user at the provider. */
export const isIdentityOf = (
  { provider, subject }: Pick<Identity, 'provider' | 'subject'>,
  person: Pick<ExternalAccount, 'provider' | 'subject'>,
): boolean => provider === person.provider && subject === person.subject

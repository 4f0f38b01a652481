import type { ExternalEmail, ExternalProfile } from '../config/sections/provider-definition.ts'
import type { ResolvedProvider } from '../config/sections/providers.ts'
import { AuthError } from '../errors/auth-error.ts'
import { isRecord } from '../kit/is-record.ts'
import { isStorable } from '../kit/storable-text.ts'
import { profileNotRead } from '../providers/protocol/provider-errors.ts'
import { readEmail } from '../users/addresses.ts'
import { metadataBytes } from '../users/metadata.ts'

/** Somebody whom a provider vouches for, as far as that is sound. */
export interface ExternalPerson {
  /** As identities name it. */
  provider: string
  /** What people call it. */
  label: string
  subject: string
  /** In lower case; the primary one, or else the last. Null where there is none. */
  email: string | null
  /** Whether the provider has verified `email`. */
  isEmailVerified: boolean
  /** All addresses that the provider has verified, in lower case. What a setting takes for verified finds nobody. */
  verified: readonly string[]
  /** What is stored of the person: the wire's claims. */
  claims: Readonly<Record<string, unknown>>
}

const maxSubjectLength = 255
const maxEmails = 50
/** All that is stored of a person in one identity, as JSON. */
const maxClaimsBytes = 16_384

/**
 * What is made of somebody whom a provider describes, after the application had its say.
 *
 * @throws AuthError `unexpected_failure` (500) without a subject, or when the application's say is none.
 */
export function mapPerson(
  provider: { name: string; label: string },
  { mapProfile }: Pick<ResolvedProvider, 'mapProfile'>,
  profile: ExternalProfile,
): ExternalPerson {
  try {
    // What an application refuses to map is not taken unmapped.
    return readPerson(provider, mapProfile ? mapProfile(profile) : profile)
  } catch (error) {
    throw error instanceof AuthError ? error : profileNotRead(error)
  }
}

/**
 * Reads what a provider said of somebody. Addresses that are none are passed over.
 *
 * @throws AuthError `unexpected_failure` (500) without a subject.
 */
export function readPerson(
  { name: provider, label }: { name: string; label: string },
  { subject, emails, claims }: ExternalProfile,
): ExternalPerson {
  if (!isSubject(subject)) {
    throw profileNotRead(new Error('the provider names no subject, or one that cannot be stored'))
  }
  const known = emails.slice(0, maxEmails).flatMap(toKnownEmail)
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
    claims: thatFit({
      ...withoutEmpty(claims),
      sub: subject,
      provider_id: subject,
      ...(primary && { email: primary.address }),
      email_verified: primary?.isVerified ?? false,
      phone_verified: false,
    }),
  }
}

/** Whether somebody can be known by this at a provider. */
export const isSubject = (subject: unknown): subject is string =>
  typeof subject === 'string' &&
  subject !== '' &&
  subject.length <= maxSubjectLength &&
  isStorable(subject)

type KnownEmail = Required<ExternalEmail>

function toKnownEmail({ address, isVerified, isPrimary = false }: ExternalEmail): KnownEmail[] {
  try {
    // A provider's `'false'` is no yes.
    return [{ address: readEmail(address).value, isVerified: isVerified === true, isPrimary }]
  } catch {
    return []
  }
}

/** Without what says nothing, and without what is nested so deep that not every parser would read it. */
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

/** A provider may say a lot, such as all groups that somebody is in; what is the most goes first. */
function thatFit(claims: Record<string, unknown>): Record<string, unknown> {
  const storable = storableOf(claims)
  const fitting = lessAndLess(storable).find((some) => metadataBytes(some) <= maxClaimsBytes)
  return fitting ?? {}
}

/** The same claims, and fewer and fewer of them: what is needed most goes last. */
function lessAndLess(claims: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const { custom_claims: _, ...others } = claims
  const { sub, provider_id, email, email_verified, phone_verified } = claims
  return [{ ...claims }, others, { sub, provider_id, email, email_verified, phone_verified }]
}

/** PostgreSQL stores no NUL, and no half of a character. */
function storableOf(claims: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(claims, (key, value: unknown) =>
    isStorable(key) && (typeof value !== 'string' || isStorable(value)) ? value : undefined,
  )
  const read: unknown = JSON.parse(text)
  return isRecord(read) ? read : {}
}

/** What of a person's claims goes into the metadata of the user, within the room that there is. */
export function metadataFrom(
  claims: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
  maxBytes: number,
): Record<string, unknown> {
  const isEmailVerified = { email_verified: claims['email_verified'] }
  const merged = [...lessAndLess(claims), isEmailVerified].map((some) => ({ ...current, ...some }))
  // Whose metadata is full comes in all the same.
  return merged.find((metadata) => metadataBytes(metadata) <= maxBytes) ?? { ...current }
}

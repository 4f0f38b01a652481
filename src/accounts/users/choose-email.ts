import type { Config } from '../../platform/config/config.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { emailInClaims } from './email-in-claims.ts'
import { findTakenEmails } from './find-owners.sql.ts'
import { provesAddressOf } from './linking-domain.ts'
import { type Identity, isInUse, type User } from './user.ts'

/** The address that a user gets from the identities. */
export interface EmailChoice {
  /** In lower case; null where an identity has none. */
  email: string | null
  isVerified: boolean
}

/** The rules by which the address of an identity is verified for its user. */
export interface EmailTerms {
  /** Whether every address counts as verified. */
  autoconfirm: boolean
  /** Whether the provider of an identity can prove an address of this user. */
  proves(identity: Identity): boolean
}

interface Terms extends EmailTerms {
  /** The addresses that other users keep. */
  taken: readonly string[]
}

type Needs = Pick<Config, 'email' | 'externalSignIn'>

/** Returns the rules by which the addresses of identities are verified for their user. */
export const emailTermsOf = (config: Needs, user: Pick<User, 'isSsoUser'>): EmailTerms => ({
  autoconfirm: config.email.autoconfirm,
  proves: ({ provider, identityData: { linking_domain: domain } }) =>
    provesAddressOf(config, user, {
      provider,
      linkingDomain: typeof domain === 'string' ? domain : null,
    }),
})

/**
 * Chooses the address that these identities give their user. Suspended identities give none: their
 * addresses may belong to another person.
 *
 * @returns null when each identity has an address, and other users keep all of them.
 */
export async function chooseOwnEmail(
  ctx: { sql: Queryable; clock: Clock; config: Needs },
  user: Pick<User, 'id' | 'isSsoUser'>,
  all: readonly Identity[],
): Promise<EmailChoice | null> {
  const terms = emailTermsOf(ctx.config, user)
  const identities = all.filter(isInUse)
  const emails = identities
    .map((identity) => emailOf(identity, terms).email)
    .filter((email) => email !== null)
  const taken = emails.length > 0 ? await findTakenEmails(ctx, user.id, emails) : []
  return chooseEmail(identities, { ...terms, taken })
}

/**
 * Chooses the address that identities give their user: a verified one, else an unverified one, else
 * none; of several the oldest.
 *
 * @returns null when each has an address, and all of them are taken.
 */
function chooseEmail(
  identities: readonly Identity[],
  { taken, ...terms }: Terms,
): EmailChoice | null {
  const choices = identities
    .toSorted(byAge)
    .map((identity) => emailOf(identity, terms))
    .filter(({ email }) => email === null || !taken.includes(email))
  return (
    choices.find(({ isVerified }) => isVerified) ??
    choices.find(({ email }) => email !== null) ??
    choices[0] ??
    null
  )
}

const byAge = (a: Identity, b: Identity): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)

/** Returns the address of an identity, and whether its provider has verified it for the user. */
export function emailOf(identity: Identity, { autoconfirm, proves }: EmailTerms): EmailChoice {
  const email = emailInClaims(identity.identityData)
  const isVerified = identity.identityData['email_verified'] === true
  const isConfirmed = autoconfirm || (isVerified && proves(identity))
  return { email, isVerified: email !== null && isConfirmed }
}

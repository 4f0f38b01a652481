import type { IdentityOwner } from '../users/find-owners-of-identity.sql.ts'
import { givesWay } from '../users/registration.ts'
import { isOpenedBy } from '../users/user.ts'
import type { ExternalPerson } from './external-person.ts'

/** Whose account somebody gets who comes with an identity. */
export type AccountDecision =
  /** The identity is known. */
  | { kind: 'exists'; owner: IdentityOwner }
  /** The identity is new, and its verified address leads to one user. */
  | { kind: 'link'; owner: IdentityOwner }
  /** Nobody is there yet. The address is left out where somebody else has it. */
  | { kind: 'create'; withEmail: boolean }
  /** The address is known, but opens nobody's account: it was never proved there, and another one was. */
  | { kind: 'taken' }
  /** The verified addresses lead to several users. */
  | { kind: 'multiple' }

/**
 * Decides whose account it is. An address leads to a user only when both sides have verified it, or when nothing of
 * that account was proved by anybody: such an account then keeps nothing that somebody else brought. Accounts that
 * strangers registered never stand between a person and their own.
 *
 * @param owners whoever the identity or one of its addresses is known of.
 */
export function decideAccount(
  owners: readonly IdentityOwner[],
  { email, verified }: Pick<ExternalPerson, 'email' | 'verified'>,
): AccountDecision {
  const known = owners.find(({ hasIdentity }) => hasIdentity)
  if (known) return { kind: 'exists', owner: known }
  if (verified.length === 0) return { kind: 'create', withEmail: owners.length === 0 }
  const byIdentity = owners.filter(({ hasVerifiedIdentityEmail }) => hasVerifiedIdentityEmail)
  if (byIdentity.length > 0) return onlyOne(byIdentity)
  const byEmail = owners.filter(({ hasVerifiedEmail }) => hasVerifiedEmail)
  const opened = byEmail.filter(({ user }) => isOpenedBy(user, 'email'))
  const lasting = opened.filter((owner) => !givesWay(owner))
  if (lasting.length > 0) return onlyOne(lasting)
  const registered = holderOf(opened, email) ?? opened[0]
  if (registered) return { kind: 'link', owner: registered }
  if (holderOf(byEmail, email)) return { kind: 'taken' }
  return { kind: 'create', withEmail: !holderOf(owners, email) }
}

/** Whose own address it is, among those who share one domain. */
export const holderOf = (
  owners: readonly IdentityOwner[],
  email: string | null,
): IdentityOwner | undefined =>
  owners.find(({ user }) => email !== null && user.email === email && !user.isSsoUser)

function onlyOne([owner, ...others]: readonly IdentityOwner[]): AccountDecision {
  return owner && others.length === 0 ? { kind: 'link', owner } : { kind: 'multiple' }
}

import { withoutSignUpMetadata } from '../../accounts/addresses/prove-address.ts'
import { rowsOfMessages } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { changeUser } from '../../accounts/lifecycle/change-user.ts'
import {
  newUserWithAddress,
  submittedMetadataKeys,
} from '../../accounts/lifecycle/new-user-with-address.ts'
import type { UserSave } from '../../accounts/lifecycle/save-user.sql.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'
import { providersOf } from '../../accounts/users/new-user.ts'
import { signUpOriginAfter } from '../../accounts/users/sign-up-origin.ts'
import { isAddressIdentity, type User } from '../../accounts/users/user.ts'
import {
  type Attempt,
  confirmation,
  confirmationRequested,
  hashOnce,
  inTurn,
  type SignUpResponse,
} from './attempt.ts'

/**
 * Stores another sign-up for an unconfirmed address; null when a concurrent request changed the
 * account.
 */
export async function signUpAgain(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredUser,
): Promise<SignUpResponse | null> {
  const before = existing.user
  const { address, now } = attempt
  const asSubmitted = newUserWithAddress(ctx, { ...attempt, id: before.id })
  const identities = before.identities
    .filter(({ provider }) => provider === address.kind)
    .map((identity) => ({ ...identity, identityData: asSubmitted.userMetadata, updatedAt: now }))
  const signedUp = { ...asSubmitted, identities }
  const message = confirmation(ctx, attempt, signedUp)
  const { user, ...credentials } = await contend(ctx, attempt, existing, signedUp)
  const stored = await changeUser(ctx, {
    before: existing,
    after: { ...user, confirmationSentAt: now, updatedAt: now },
    changedBy: 'replacement',
    ...credentials,
    ...rowsOfMessages(message),
    audit: confirmationRequested(attempt, before.id),
    isConcealed: true,
  })
  return stored ? { user: shownAsNew(asSubmitted, before), session: null } : null
}

/**
 * Returns the response to another sign-up: as for a new one, except for the ids, which applications
 * store. It reveals neither the creator nor the age of the account.
 */
const shownAsNew = (asSubmitted: User, { identities }: User): User => ({
  ...asSubmitted,
  confirmationSentAt: asSubmitted.createdAt,
  identities: asSubmitted.identities.map((shown) => ({
    ...shown,
    id: identities.find(({ provider }) => provider === shown.provider)?.id ?? shown.id,
  })),
})

/**
 * Returns the account after another sign-up. The latest sign-up of a client, or of a client with
 * the earlier password, replaces the earlier one; that of another client competes. A user whom an
 * operator created stays unchanged. Each case costs one hash, so that the response time does not
 * reveal it.
 *
 * An identity at a provider is removed with the earlier request that added it, and so are its
 * sessions. Otherwise it would open the account to another client in the same network once this
 * sign-up is confirmed.
 */
async function contend(
  ctx: AuthContext,
  attempt: Attempt,
  stored: StoredUser,
  asSubmitted: User,
): Promise<Contended> {
  const { passwordHash, signUpOrigin } = stored
  const request = { by: 'signup', from: attempt.requestedFrom } as const
  const after = signUpOriginAfter(stored, request)
  const isLatest = after?.by === 'signup'
  const isRepeated = !isLatest && (await repeats(ctx, attempt, stored))
  if (!signUpOrigin || !(isLatest || isRepeated)) {
    return { user: stored.user, passwordHash, signUpOrigin: after }
  }
  const isReplaced = isLatest && stored.user.identities.some((one) => !isAddressIdentity(one))
  const user = isReplaced ? withoutExternal(stored.user, attempt) : stored.user
  const identities = user.identities.map(
    (identity) => asSubmitted.identities.find(({ id }) => id === identity.id) ?? identity,
  )
  const ofOperators = withoutSignUpMetadata(user, signUpOrigin).userMetadata
  return {
    user: {
      ...user,
      username: asSubmitted.username,
      userMetadata: { ...asSubmitted.userMetadata, ...ofOperators },
      identities,
    },
    causes: isReplaced ? ['reclaimed'] : [],
    passwordHash: isRepeated ? passwordHash : await hashOnce(ctx, attempt),
    signUpOrigin: {
      by: 'signup',
      from: signUpOrigin.from,
      keys: submittedMetadataKeys(attempt).filter((key) => !Object.hasOwn(ofOperators, key)),
    },
  }
}

type Contended = Omit<StoredUser, 'version'> & Pick<UserSave, 'causes'>

const withoutExternal = (user: User, { address }: Attempt): User => ({
  ...user,
  identities: user.identities.filter(isAddressIdentity),
  factors: [],
  appMetadata: providersOf(user.appMetadata, [address.kind]),
})

/** Whether the client submitted the password of the earlier sign-up. */
async function repeats(ctx: AuthContext, attempt: Attempt, stored: StoredUser): Promise<boolean> {
  const { password, paid } = attempt
  const passwordHash = ownHash(stored)
  if (passwordHash === null && paid.isAny) return false
  return inTurn(ctx, attempt, (turn) => ctx.passwords.verify(passwordHash, password, turn))
}

/**
 * Returns the hash of an earlier sign-up, where its verification takes as long as a new hash. Other
 * hashes would be revealed by the response time.
 */
const ownHash = ({ passwordHash, signUpOrigin }: StoredUser): string | null =>
  signUpOrigin?.by === 'signup' && passwordHash?.startsWith('$argon2id$') ? passwordHash : null

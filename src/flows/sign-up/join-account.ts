import type { AuthContext } from '../../deps.ts'
import { accountOfNewcomer, keysOfNewcomer } from '../../steps/newcomer-account.ts'
import { withoutRegisteredMetadata } from '../../steps/prove-address.ts'
import { rowsOfMessages } from '../../steps/token-message.ts'
import type { Account } from '../../users/account.ts'
import type { StoredAccount } from '../../users/find-account.sql.ts'
import { registrationAfter } from '../../users/registration.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import {
  type Attempt,
  confirmation,
  confirmationRequested,
  hashOnce,
  inTurn,
  type Outcome,
} from './attempt.ts'

/** Another sign-up for an address that nobody has proved; null when another request was faster. */
export async function joinAccount(
  ctx: AuthContext,
  attempt: Attempt,
  existing: StoredAccount,
): Promise<Outcome | null> {
  const before = existing.account
  const { address, now } = attempt
  const said = accountOfNewcomer(ctx, { ...attempt, id: before.id })
  const identities = before.identities
    .filter(({ provider }) => provider === address.kind)
    .map((identity) => ({ ...identity, identityData: said.userMetadata, updatedAt: now }))
  const signedUp = { ...said, identities }
  const message = confirmation(ctx, attempt, signedUp)
  const note = confirmationRequested(ctx, attempt, before.id)
  const { account, ...credentials } = await contend(ctx, attempt, existing, signedUp)
  const isStored = await saveAccount(ctx.sql, {
    before: existing,
    after: { ...account, confirmationSentAt: now, updatedAt: now },
    ...credentials,
    ...rowsOfMessages(message),
    auditRows: note.rows,
  })
  if (!isStored) return null
  return { result: { account: shownAsNew(said, before), session: null }, note }
}

/**
 * The answer to another sign-up: what a new one is answered, save for the ids, which applications store. Nothing of
 * it tells who made the account, nor when.
 */
const shownAsNew = (said: Account, { identities }: Account): Account => ({
  ...said,
  confirmationSentAt: said.createdAt,
  identities: said.identities.map((shown) => ({
    ...shown,
    id: identities.find(({ provider }) => provider === shown.provider)?.id ?? shown.id,
  })),
})

/**
 * What an account holds after another sign-up. The latest one of a client, or of whoever knows the password
 * of the earlier, takes the earlier one's place; one of another client competes; to a user of an operator's it
 * brings nothing. Each way costs one hash, so that none shows.
 */
async function contend(
  ctx: AuthContext,
  attempt: Attempt,
  stored: StoredAccount,
  said: Account,
): Promise<Omit<StoredAccount, 'version'>> {
  const { account, passwordHash, registration } = stored
  const request = { by: 'signup', from: attempt.requestedFrom } as const
  const after = registrationAfter(stored, request)
  const isLatest = after?.by === 'signup'
  const isRepeated = !isLatest && (await repeats(ctx, attempt, stored))
  if (!registration || !(isLatest || isRepeated)) {
    return { account, passwordHash, registration: after }
  }
  const identities = account.identities.map(
    (identity) => said.identities.find(({ id }) => id === identity.id) ?? identity,
  )
  const ofOperators = withoutRegisteredMetadata(account, registration).userMetadata
  return {
    account: { ...account, userMetadata: { ...said.userMetadata, ...ofOperators }, identities },
    passwordHash: isRepeated ? passwordHash : await hashOnce(ctx, attempt),
    registration: {
      by: 'signup',
      from: registration.from,
      keys: keysOfNewcomer(attempt).filter((key) => !Object.hasOwn(ofOperators, key)),
    },
  }
}

/** Whether somebody knows the password of the sign-up before theirs. */
async function repeats(
  ctx: AuthContext,
  attempt: Attempt,
  stored: StoredAccount,
): Promise<boolean> {
  const { password, paid } = attempt
  const passwordHash = ownHash(stored)
  if (passwordHash === null && paid.isAny) return false
  return inTurn(ctx, attempt, (turn) => ctx.passwords.verify(passwordHash, password, turn))
}

/** The hash that an earlier sign-up left, where it costs what a new one does; others would show by the time. */
const ownHash = ({ passwordHash, registration }: StoredAccount): string | null =>
  registration?.by === 'signup' && passwordHash?.startsWith('$argon2id$') ? passwordHash : null

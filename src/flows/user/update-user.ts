import { auditRows } from '../../audit/audit-row.ts'
import type { AuthContext } from '../../deps.ts'
import { conflict } from '../../errors/request-errors.ts'
import { jsonRows } from '../../kit/queryable.ts'
import { unlimited } from '../../limits/send-limits.ts'
import { requireAllowed, type SpentRow, spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { newOutboxRow } from '../../messages/outbox/outbox-row.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { changeNotices, passwordChangedNotice } from '../../steps/change-notices.ts'
import { sendLimitsOf } from '../../steps/send-limits-of.ts'
import type { Account } from '../../users/account.ts'
import type { Address } from '../../users/addresses.ts'
import type { StoredAccount } from '../../users/find-account.sql.ts'
import { findForUpdate } from '../../users/find-for-update.sql.ts'
import { lockUser } from '../../users/lock-user.ts'
import { mergeMetadata } from '../../users/metadata.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import { emailExists, phoneExists, subjectNotFound } from '../../users/user-errors.ts'
import { type AddressChange, changeAddresses, joinRows } from './change-own-addresses.ts'
import { allowPasswordChange, type PasswordChange } from './change-own-password.ts'
import {
  needsMessage,
  type ReadUpdate,
  readUpdate,
  requireReachableAddresses,
  type UserUpdate,
} from './read-update.ts'

/**
 * Changes the signed-in user's own password, metadata and addresses.
 *
 * A new password ends all other sessions and voids every link and code. A new address becomes the
 * user's once it is confirmed.
 *
 * @throws AuthError `weak_password`, `same_password`, `email_exists`, `phone_exists`,
 *   `reauthentication_not_valid`, `sms_send_failed` (422), `current_password_required`,
 *   `current_password_invalid`, `reauthentication_needed`, `email_address_not_authorized`,
 *   `validation_failed` (400), `not_admin` (403), `over_email_send_rate_limit`,
 *   `over_sms_send_rate_limit` (429).
 */
export async function updateUser(
  ctx: AuthContext,
  caller: Caller,
  update: UserUpdate,
): Promise<Account> {
  const read = readUpdate(ctx, caller.account, update)
  requireReachableAddresses(ctx, caller.account, read.newAddresses)
  const stored = await findAndSpend(ctx, caller.account, read)
  const change =
    update.password === undefined
      ? null
      : await allowPasswordChange(ctx, caller, stored.passwordHash, update)

  const plan = { update, read, change }
  return (await tryToUpdate(ctx, caller, stored, plan)) ?? updateAlone(ctx, caller, stored, plan)
}

/** Where somebody else was faster: with the row locked, nobody is. */
const updateAlone = (ctx: AuthContext, caller: Caller, seen: StoredAccount, plan: Plan) =>
  ctx.transaction(async (tx) => {
    await lockUser(tx.em, caller.account.id)
    const stored = await find(tx, caller.account.id)
    // The change was allowed by a password that is gone.
    const isOutdated = plan.change !== null && stored.passwordHash !== seen.passwordHash
    const updated = isOutdated ? null : await tryToUpdate(tx, caller, stored, plan)
    if (!updated) throw conflict('The user was changed meanwhile')
    return updated
  })

/** The user as stored. Intervals and budgets of the messages that are needed are spent with it. */
async function findAndSpend(
  ctx: AuthContext,
  account: Account,
  { newAddresses }: ReadUpdate,
): Promise<StoredAccount> {
  let found: StoredAccount | null = null
  for (const address of newAddresses) found = await findAndSpendFor(ctx, account, address)
  return found ?? find(ctx, account.id)
}

async function findAndSpendFor(
  ctx: AuthContext,
  account: Account,
  address: Address,
): Promise<StoredAccount> {
  const isCounted = needsMessage(ctx, address)
  const limits = isCounted ? sendLimitsOf(ctx, 'email-change', address, account.id) : unlimited
  const wanted = { email: null, phone: null, [address.kind]: address.value }
  const spending = spendLimits(limits, ctx.clock.now())
  const found = await findForUpdate<SpentRow>(ctx.sql, spending, account.id, wanted)
  const { spent, stored, taken } = found
  if (taken.email) throw emailExists()
  if (taken.phone) throw phoneExists()
  requireAllowed(spent, limits, address.kind === 'phone' ? 'sms' : 'email')
  if (!stored) throw subjectNotFound()
  return stored
}

async function find(ctx: AuthContext, userId: string): Promise<StoredAccount> {
  const spending = spendLimits(unlimited, ctx.clock.now())
  const { stored } = await findForUpdate(ctx.sql, spending, userId, { email: null, phone: null })
  if (!stored) throw subjectNotFound()
  return stored
}

interface Plan {
  update: UserUpdate
  read: ReadUpdate
  change: PasswordChange | null
}

/** Null when somebody else changed the user since it was read. */
async function tryToUpdate(
  ctx: AuthContext,
  { session }: Caller,
  stored: StoredAccount,
  { update, read, change }: Plan,
): Promise<Account | null> {
  const { account, messages } = changed(ctx, stored.account, { update, read, change })
  const isSaved = await saveAccount(ctx.sql, {
    ...{ before: stored, after: account },
    passwordHash: change?.passwordHash ?? stored.passwordHash,
    ...(change?.nonceTokenId && { spentTokenId: change.nonceTokenId }),
    voidsTokens: change !== null,
    endsSessions: change && { except: session?.id ?? null },
    tokenRows: joinRows(messages.map(({ tokenRows }) => tokenRows)),
    messageRows: joinRows([
      ...messages.map(({ messageRows }) => messageRows),
      noticeRows(ctx, stored.account, account, change !== null),
    ]),
    auditRows: auditRows(ctx, ...events(account.id, change !== null)),
  })
  if (!isSaved) return null
  ctx.outbox.wake()
  return account
}

function changed(
  ctx: AuthContext,
  account: Account,
  { update, read, change }: Plan,
): AddressChange {
  const now = ctx.clock.now()
  const base = change ? withoutPendingProofs(account) : account
  const userMetadata = update.data
    ? mergeMetadata(base.userMetadata, update.data)
    : base.userMetadata
  return changeAddresses(ctx, { ...base, userMetadata, updatedAt: now }, read)
}

/** What was sent before a change of password opens nothing any more. */
const withoutPendingProofs = (account: Account): Account => ({
  ...account,
  confirmationSentAt: null,
  recoverySentAt: null,
  emailChangeSentAt: null,
  phoneChangeSentAt: null,
  reauthenticationSentAt: null,
})

function noticeRows(ctx: AuthContext, before: Account, after: Account, hasNewPassword: boolean) {
  const notices = [
    ...changeNotices(ctx, before, after),
    ...(hasNewPassword ? passwordChangedNotice(ctx, after) : []),
  ]
  return jsonRows(...notices.map((notice) => newOutboxRow(ctx, notice, ctx.clock.now())))
}

const events = (actorId: string, hasNewPassword: boolean) => [
  ...(hasNewPassword ? [{ action: 'user_updated_password', actorId } as const] : []),
  { action: 'user_modified', actorId } as const,
]

import { type AuditEvent, auditRows } from '../../audit/audit-row.ts'
import type { AuthContext } from '../../deps.ts'
import { jsonRows } from '../../kit/queryable.ts'
import { newOutboxRow } from '../../messages/outbox/outbox-row.ts'
import { changeNotices } from '../../steps/change-notices.ts'
import type { Account } from '../../users/account.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import { type AppliedProof, applyProof } from './apply-proof.ts'
import type { Proof } from './find-proof.ts'

/** What is stored together with the proof. */
export interface Reward {
  sessionRows?: string
  codeRows?: string
}

/** What came of a proof. */
export interface SpentProof {
  account: Account
  /** False while the other address has yet to confirm a change. */
  isComplete: boolean
}

/**
 * Spends a token and writes all that its proof changes, in one statement.
 *
 * @param reward makes the session, or the code for one, of the account as it will be.
 * @param passwordHash is set for a user who has no password.
 * @returns null when the token was spent, or the account changed, by somebody else meanwhile.
 */
export async function spendProof(
  ctx: AuthContext,
  proof: Proof,
  passwordHash: string | null,
  reward: (account: Account) => Reward,
): Promise<SpentProof | null> {
  const now = ctx.clock.now()
  const { stored, token } = proof
  const applied = applyProof(ctx, proof)
  const { isComplete } = applied
  const account = isComplete ? { ...applied.account, lastSignInAt: now } : applied.account
  const isSaved = await saveAccount(ctx.sql, {
    before: stored,
    after: account,
    passwordHash: applied.passwordHash ?? (isComplete ? passwordHash : null),
    spentTokenId: token.id,
    voidsTokens: isComplete,
    endsSessions: applied.endsSessions ? { except: null } : null,
    ...(isComplete && reward(account)),
    messageRows: noticeRows(ctx, stored.account, account, isComplete),
    auditRows: auditRows(ctx, eventOf(proof, applied)),
  })
  if (!isSaved) return null
  ctx.outbox.wake()
  return { account, isComplete }
}

function noticeRows(
  ctx: AuthContext,
  before: Account,
  after: Account,
  isComplete: boolean,
): string {
  const notices = isComplete ? changeNotices(ctx, before, after) : []
  return jsonRows(...notices.map((notice) => newOutboxRow(ctx, notice, ctx.clock.now())))
}

/** A proof of an address that was not proved before completes a sign-up. */
function eventOf({ stored, token }: Proof, { account }: AppliedProof): AuditEvent {
  const actorId = account.id
  if (token.purpose.includes('change')) return { action: 'user_modified', actorId }
  const { emailConfirmedAt, phoneConfirmedAt } = stored.account
  const isEmail = account.email === token.sent_to
  const wasProved = (isEmail ? emailConfirmedAt : phoneConfirmedAt) !== null
  if (wasProved) return { action: 'login', actorId }
  return { action: 'user_signedup', actorId, traits: { provider: isEmail ? 'email' : 'phone' } }
}

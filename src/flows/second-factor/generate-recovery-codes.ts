import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext, TransactionContext } from '../../deps.ts'
import {
  factorNameConflict,
  factorNotFound,
  recoveryCodesAlone,
  recoveryCodesExist,
  recoveryCodesNotEnabled,
} from '../../factors/factor-errors.ts'
import { hashRecoveryCode, newRecoveryCodes } from '../../factors/recovery-code.ts'
import {
  insertRecoveryCodes,
  replaceRecoveryCodes,
} from '../../factors/store-recovery-codes.sql.ts'
import type { Unread } from '../../http/endpoint.ts'
import { requireShort } from '../../kit/storable-text.ts'
import { guessShareKey, recoveryCodeKey } from '../../limits/factor-limits.ts'
import { strongSessionNeededToGenerate } from '../../sessions/session-errors.ts'
import { joinRows, rowsOf } from '../../sql/tables.ts'
import { type Caller, needsStepUp, requireCaller } from '../../steps/authenticate-caller.ts'
import { factorNotice } from '../../steps/change-notices.ts'
import { guessKeys } from '../../steps/count-guess.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { type Factor, isRecoveryCodes, type User } from '../../users/user.ts'
import { requireRegistered, requireSessionId } from './own-factor.ts'
import type {
  GeneratedRecoveryCodes,
  GenerateRecoveryCodesInput,
} from './recovery-codes.endpoint.ts'

const defaultName = 'Recovery codes'

/**
 * Generates the recovery codes of a user who has another verified factor, which they stand in for. They are shown this
 * once.
 *
 * @throws AuthError `session_not_found` (403) for a token without a session, `no_authorization` (403) for
 *   an anonymous visitor, `validation_failed` (400), `insufficient_aal` (403),
 *   `mfa_recovery_codes_enroll_not_enabled`, `mfa_recovery_codes_sole_factor`, `mfa_verified_factor_exists`,
 *   `mfa_factor_name_conflict` (422).
 */
export async function generateRecoveryCodes(
  ctx: AuthContext,
  caller: Caller,
  input: Unread<GenerateRecoveryCodesInput>,
): Promise<GeneratedRecoveryCodes> {
  const friendlyName = requireShort(input.friendlyName || defaultName, 'friendly_name')
  return generate(ctx, caller, async (tx, { user }) => {
    requireRoom(user, friendlyName)
    const id = ctx.random.uuid()
    const { codes, rows, announce } = newCodes(tx, user, id)
    const now = ctx.clock.now().toISOString()
    await insertRecoveryCodes(
      tx.sql,
      {
        id,
        user_id: user.id,
        factor_type: 'recovery_code',
        status: 'verified',
        friendly_name: friendlyName,
        created_at: now,
        updated_at: now,
      },
      rows,
    )
    return { announce, generated: { id, friendlyName, codes } }
  })
}

/**
 * Generates other recovery codes in the place of those that the user has: none of them is good any more, used or not.
 *
 * @throws AuthError `session_not_found` (403) for a token without a session, `no_authorization` (403) for
 *   an anonymous visitor, `insufficient_aal` (403), `mfa_recovery_codes_enroll_not_enabled` (422),
 *   `mfa_factor_not_found` (404).
 */
export const regenerateRecoveryCodes = (
  ctx: AuthContext,
  caller: Caller,
): Promise<GeneratedRecoveryCodes> =>
  generate(ctx, caller, async (tx, { user }) => {
    const factor = user.factors.find(isRecoveryCodes)
    if (!factor) throw factorNotFound()
    const { id, friendlyName } = factor
    const { codes, rows, announce } = newCodes(tx, user, id)
    const key = recoveryCodeKey(user.id)
    const client = tx.request.clientKey()
    await replaceRecoveryCodes(tx.sql, {
      ...rows,
      factorId: id,
      guessKeys: [
        key,
        ...(client === null ? [] : [guessShareKey(key, client)]),
        ...guessKeys(user.audience, key),
      ],
      now: ctx.clock.now(),
    })
    return { announce, generated: { id, friendlyName, codes } }
  })

interface Generation {
  generated: GeneratedRecoveryCodes
  /** Tells of it, once it is stored. */
  announce(): void
}

/** One generation at a time, and none in a session that ends meanwhile: all is looked at under the lock. */
async function generate(
  ctx: AuthContext,
  caller: Caller,
  store: (tx: TransactionContext, caller: Caller) => Promise<Generation>,
): Promise<GeneratedRecoveryCodes> {
  requireRegistered(caller)
  requireSessionId(caller)
  if (!ctx.config.mfa.recoveryCodes.enrollEnabled) throw recoveryCodesNotEnabled('enroll')
  const { generated, announce } = await withLockedUser(ctx, caller.user.id, async (tx) => {
    const current = await requireCaller(tx, caller.claims)
    if (needsStepUp(current)) throw strongSessionNeededToGenerate()
    return store(tx, current)
  })
  announce()
  return generated
}

function requireRoom({ factors }: User, friendlyName: string): void {
  const others = factors.filter((factor) => !isRecoveryCodes(factor))
  if (!others.some(({ status }) => status === 'verified')) throw recoveryCodesAlone()
  if (others.length < factors.length) throw recoveryCodesExist()
  if (others.some((factor) => factor.friendlyName === friendlyName)) {
    throw factorNameConflict(friendlyName)
  }
}

/** The codes, what is stored of them and with them, and how that is told. */
function newCodes(ctx: AuthContext, user: User, factorId: Factor['id']) {
  const codes = newRecoveryCodes(ctx.random)
  const createdAt = ctx.clock.now().toISOString()
  const codeRows = codes.map((code) => ({
    id: ctx.random.uuid(),
    factor_id: factorId,
    code_hash: hashRecoveryCode(ctx.roots.current, factorId, code),
    created_at: createdAt,
  }))
  const notices = factorNotice(ctx, 'mfaFactorEnrolled', user, 'recovery_code')
  const traits = { factor_id: factorId }
  const note = auditNote(ctx, { action: 'recovery_codes_generated', actorId: user.id, traits })
  const news = eventRows(ctx, user.id, [happened('recovery_codes.generated', traits)])
  return {
    codes,
    rows: {
      codeRows: rowsOf('recovery_codes', ...codeRows),
      messageRows: joinRows(rowsOf('outbox_messages', ...outboxRows(ctx, notices)), news),
      auditRows: note.rows,
    },
    announce: () => {
      note.log()
      if (notices.length > 0) ctx.outbox.wake()
      tellEvents(ctx)
    },
  }
}

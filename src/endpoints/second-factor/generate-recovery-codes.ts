import { factorNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { type Act, performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { hasRecentProof, requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { requireMayChangeSignIn } from '../../accounts/callers/recent-sign-in.ts'
import { requirePermanentUser } from '../../accounts/callers/require-permanent-user.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import {
  factorNameConflict,
  factorNotFound,
  recoveryCodesAlone,
  recoveryCodesExist,
  recoveryCodesNotEnabled,
} from '../../accounts/factors/factor-errors.ts'
import { sealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import {
  hashRecoveryCode,
  newRecoveryCodeKey,
  newRecoveryCodes,
} from '../../accounts/factors/recovery-code.ts'
import { insertRecoveryCodes } from '../../accounts/factors/recovery-codes.sql.ts'
import { replaceRecoveryCodes } from '../../accounts/lifecycle/replace-recovery-codes.sql.ts'
import { factorMethods } from '../../accounts/sessions/assurance.ts'
import { stepUpNeededToGenerate } from '../../accounts/sessions/session-errors.ts'
import { type Factor, isRecoveryCodes, type User } from '../../accounts/users/user.ts'
import { guessKeys } from '../../limits/count-guess.ts'
import { guessShareKeys, recoveryCodeKey } from '../../limits/factor-limits.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { requireSessionId } from './own-factor.ts'
import type {
  GeneratedRecoveryCodes,
  GenerateRecoveryCodesInput,
} from './recovery-codes.endpoint.ts'

const defaultName = 'Recovery codes'

/**
 * Generates the recovery codes of a user with another verified factor, in place of which a code is
 * accepted. They are shown once.
 *
 * @throws AuthError `session_not_found` (403) for a token without a session, `no_authorization`
 *   (403) for an anonymous user, `validation_failed` (400), `insufficient_aal`,
 *   `reauthentication_needed` (403), `mfa_recovery_codes_enroll_not_enabled`,
 *   `mfa_recovery_codes_sole_factor`, `mfa_verified_factor_exists`, `mfa_factor_name_conflict`
 *   (422).
 */
export async function generateRecoveryCodes(
  ctx: AuthContext,
  caller: Caller,
  input: Unvalidated<GenerateRecoveryCodesInput>,
): Promise<GeneratedRecoveryCodes> {
  const friendlyName = requireShort(input.friendlyName || defaultName, 'friendly_name')
  return generate(ctx, caller, async (tx, { user }, addedWithoutProofAt) => {
    requireRoom(user, friendlyName)
    const id = ctx.random.uuid()
    const { codes, sealedKey, codeRows, act } = newCodes(tx, user, id)
    const now = ctx.clock.now().toISOString()
    const row = {
      id,
      user_id: user.id,
      factor_type: 'recovery_code',
      status: 'verified',
      friendly_name: friendlyName,
      secret: sealedKey,
      added_without_proof_at: addedWithoutProofAt?.toISOString() ?? null,
      created_at: now,
      updated_at: now,
    } as const
    await performAct(tx, act, (rows) => insertRecoveryCodes(tx.sql, row, { codeRows, ...rows }))
    return { id, friendlyName, codes }
  })
}

/**
 * Generates new recovery codes. The former codes of the user are no longer accepted.
 *
 * @throws AuthError `session_not_found` (403) for a token without a session, `no_authorization`
 *   (403) for an anonymous user, `insufficient_aal`, `reauthentication_needed` (403),
 *   `mfa_recovery_codes_enroll_not_enabled` (422), `mfa_factor_not_found` (404).
 */
export const regenerateRecoveryCodes = (
  ctx: AuthContext,
  caller: Caller,
): Promise<GeneratedRecoveryCodes> =>
  generate(ctx, caller, async (tx, { user }, addedWithoutProofAt) => {
    const sessionId = requireSessionId(caller)
    const factor = user.factors.find(isRecoveryCodes)
    if (!factor) throw factorNotFound()
    const { id, friendlyName } = factor
    const { codes, sealedKey, codeRows, act } = newCodes(tx, user, id)
    const key = recoveryCodeKey(user.id)
    const client = tx.request.clientKey()
    const replacement = {
      codeRows,
      factorId: id,
      sealedKey,
      addedWithoutProofAt,
      factorMethods: Object.values(factorMethods),
      sessionId,
      guessKeys: [
        key,
        ...(client === null ? [] : guessShareKeys(key, client)),
        ...guessKeys(user.audience, key),
      ],
      now: ctx.clock.now(),
    }
    await performAct(tx, act, (rows) => replaceRecoveryCodes(tx.sql, { ...replacement, ...rows }))
    return { id, friendlyName, codes }
  })

/**
 * Generates codes under a lock, which permits one generation at a time, and none in a session that
 * has ended since.
 */
async function generate(
  ctx: AuthContext,
  caller: Caller,
  store: (
    tx: TransactionContext,
    caller: Caller,
    addedWithoutProofAt: Date | null,
  ) => Promise<GeneratedRecoveryCodes>,
): Promise<GeneratedRecoveryCodes> {
  requirePermanentUser(caller)
  requireSessionId(caller)
  if (!ctx.config.mfa.recoveryCodes.enrollEnabled) throw recoveryCodesNotEnabled('enroll')
  return withLockedCaller(ctx, caller, async (tx, current) => {
    requireRecentProof(tx, current, { insufficientAal: stepUpNeededToGenerate })
    requireMayChangeSignIn(tx, current)
    return store(tx, current, hasRecentProof(tx, current) ? null : tx.clock.now())
  })
}

function requireRoom({ factors }: User, friendlyName: string): void {
  const others = factors.filter((factor) => !isRecoveryCodes(factor))
  if (!others.some(({ status }) => status === 'verified')) throw recoveryCodesAlone()
  if (others.length < factors.length) throw recoveryCodesExist()
  if (others.some((factor) => factor.friendlyName === friendlyName)) {
    throw factorNameConflict(friendlyName)
  }
}

/** New codes of a user, the rows to store, and the act to record. */
function newCodes(ctx: AuthContext, user: User, factorId: Factor['id']) {
  const codes = newRecoveryCodes(ctx.random)
  const key = newRecoveryCodeKey(ctx.random)
  const createdAt = ctx.clock.now().toISOString()
  const codeRows = codes.map((code) => ({
    id: ctx.random.uuid(),
    factor_id: factorId,
    code_hash: hashRecoveryCode(key, factorId, code),
    created_at: createdAt,
  }))
  const traits = { factor_id: factorId }
  const act: Act = {
    audit: { action: 'recovery_codes_generated', actorId: user.id, traits },
    events: { userId: user.id, events: [event('recovery_codes.generated', traits)] },
    notices: factorNotice(ctx, 'mfaFactorEnrolled', user, 'recovery_code'),
  }
  return {
    codes,
    sealedKey: sealFactorSecret(ctx.roots, factorId, key),
    codeRows: rowsOf('recovery_codes', ...codeRows),
    act,
  }
}

import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext, TransactionContext } from '../../deps.ts'
import type { Unread } from '../../http/endpoint.ts'
import { consumeRegistrationChallenge } from '../../passkeys/consume-challenge.sql.ts'
import { insertPasskey } from '../../passkeys/insert-passkey.sql.ts'
import type { Passkey } from '../../passkeys/passkey.ts'
import { credentialExists, tooManyPasskeys } from '../../passkeys/passkey-errors.ts'
import { toPasskey } from '../../passkeys/passkey-row.ts'
import { joinRows, type NewRow, type Rows, rowsOf } from '../../sql/tables.ts'
import { type Caller, requireCaller } from '../../steps/authenticate-caller.ts'
import { factorNotice } from '../../steps/change-notices.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { newPasskey, requireNewCredential } from './new-passkey.ts'
import type { VerifyPasskeyRegistrationInput } from './passkeys.endpoint.ts'
import { readAnswer } from './read-answer.ts'
import { requireMayRegister, requirePasskeys } from './require-passkeys.ts'

/**
 * Registers a passkey of the caller. The challenge is spent whatever comes of it.
 *
 * @throws AuthError as {@link startRegistration}, `webauthn_challenge_not_found` for one of another user or session
 *   too, `webauthn_challenge_expired`, `webauthn_verification_failed` (400), `webauthn_credential_exists` (422).
 */
export async function registerPasskey(
  ctx: AuthContext,
  caller: Caller,
  input: Unread<VerifyPasskeyRegistrationInput>,
): Promise<Passkey> {
  requirePasskeys(ctx)
  const session = requireMayRegister(caller)
  const { challengeId, credential } = readAnswer(input)
  const spent = await consumeRegistrationChallenge(ctx.sql, {
    challengeId,
    userId: caller.user.id,
    sessionId: session.id,
  })
  const row = newPasskey(ctx, caller.user.id, await requireNewCredential(ctx, spent, credential))

  const note = auditNote(ctx, {
    action: 'passkey_created',
    actorId: caller.user.id,
    traits: { passkey_id: row.id },
  })
  // One at a time, and none in a session that ended meanwhile: all is looked at under the lock.
  const isTold = await withLockedUser(ctx, caller.user.id, async (tx) => {
    const current = await requireCaller(tx, caller.claims)
    requireMayRegister(current)
    return store(tx, current, row, note.rows)
  })
  note.log()
  if (isTold) ctx.outbox.wake()
  tellEvents(ctx)
  return toPasskey({ ...row, last_used_at: null })
}

/** @returns whether the user is told by mail. */
async function store(
  ctx: TransactionContext,
  { user }: Caller,
  row: NewRow<'passkeys'>,
  auditRows: Rows<'audit_entries'>,
): Promise<boolean> {
  const notices = factorNotice(ctx, 'mfaFactorEnrolled', user, 'webauthn')
  const news = eventRows(ctx, user.id, [happened('passkey.registered', { passkey_id: row.id })])
  const result = await insertPasskey(ctx.sql, row, {
    maxPasskeys: ctx.config.passkeys.maxPasskeysPerUser,
    messageRows: joinRows(rowsOf('outbox_messages', ...outboxRows(ctx, notices)), news),
    auditRows,
  })
  if (result === 'full') throw tooManyPasskeys()
  if (result === 'known') throw credentialExists()
  return notices.length > 0
}

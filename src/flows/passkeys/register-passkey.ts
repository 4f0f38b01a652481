import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext, TransactionContext } from '../../deps.ts'
import type { Unread } from '../../http/endpoint.ts'
import { consumeRegistrationChallenge } from '../../passkeys/consume-challenge.sql.ts'
import { insertPasskey } from '../../passkeys/insert-passkey.sql.ts'
import type { Passkey } from '../../passkeys/passkey.ts'
import {
  challengeExpired,
  challengeNotFound,
  credentialExists,
  credentialRefused,
  tooManyPasskeys,
} from '../../passkeys/passkey-errors.ts'
import { rowsOf } from '../../sql/tables.ts'
import { type Caller, requireCaller } from '../../steps/authenticate-caller.ts'
import { factorNotice } from '../../steps/change-notices.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { readRegistration } from '../../webauthn/read-credential.ts'
import { type NewCredential, verifyRegistration } from '../../webauthn/verify-registration.ts'
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
  requireMayRegister(caller)
  const { challengeId, credential: given } = readAnswer(input)
  const credential = await verify(ctx, caller, challengeId, given)

  const id = ctx.random.uuid()
  const createdAt = ctx.clock.now()
  const note = auditNote(ctx, {
    action: 'passkey_created',
    actorId: caller.user.id,
    traits: { passkey_id: id },
  })
  // One at a time, and none in a session that ended meanwhile: all is looked at under the lock.
  const isTold = await withLockedUser(ctx, caller.user.id, async (tx) => {
    const current = await requireCaller(tx, caller.claims)
    requireMayRegister(current)
    return store(tx, current, { id, credential, createdAt, auditRows: note.rows })
  })
  note.log()
  if (isTold) ctx.outbox.wake()
  return { id, friendlyName: firstName, createdAt, lastUsedAt: null }
}

/** What a passkey is called until its user gives it a name. */
const firstName = 'Passkey'

async function verify(
  ctx: AuthContext,
  { user, session }: Caller,
  challengeId: string,
  given: unknown,
): Promise<NewCredential> {
  const spent = await consumeRegistrationChallenge(ctx.sql, {
    challengeId,
    userId: user.id,
    sessionId: session?.id ?? null,
  })
  if (!spent) throw challengeNotFound()
  if (ctx.clock.now() >= spent.expiresAt) throw challengeExpired()
  const response = readRegistration(given)
  const credential = await verifyRegistration(ctx.config.webAuthn, spent.challengeHash, response)
  if (!credential) throw credentialRefused()
  return credential
}

interface NewPasskey {
  id: string
  credential: NewCredential
  createdAt: Date
  auditRows: Parameters<typeof insertPasskey>[2]['auditRows']
}

/** @returns whether the user is told by mail. */
async function store(
  ctx: TransactionContext,
  { user }: Caller,
  { id, credential, createdAt, auditRows }: NewPasskey,
): Promise<boolean> {
  const now = createdAt.toISOString()
  const notices = factorNotice(ctx, 'mfaFactorEnrolled', user, 'webauthn')
  const result = await insertPasskey(
    ctx.sql,
    {
      id,
      user_id: user.id,
      credential_id: credential.id,
      public_key: credential.publicKey,
      sign_count: credential.signCount,
      transports: credential.transports,
      attestation_format: credential.attestationFormat,
      aaguid: credential.aaguid,
      backup_eligible: credential.backupEligible,
      backed_up: credential.backedUp,
      friendly_name: firstName,
      created_at: now,
      updated_at: now,
    },
    {
      maxPasskeys: ctx.config.passkeys.maxPasskeysPerUser,
      messageRows: rowsOf('outbox_messages', ...outboxRows(ctx, notices)),
      auditRows,
    },
  )
  if (result === 'full') throw tooManyPasskeys()
  if (result === 'known') throw credentialExists()
  return notices.length > 0
}

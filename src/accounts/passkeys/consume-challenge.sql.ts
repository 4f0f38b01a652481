import { memoize } from '../../platform/kit/memoize.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Selection } from '../../platform/sql/tables.ts'
import type { PasskeyRow, WebAuthnChallengeRow } from './passkey-row.ts'

/** A consumed challenge. */
export interface ConsumedChallenge {
  challengeHash: string
  expiresAt: Date
}

type ConsumedRow = Pick<WebAuthnChallengeRow, 'challenge_hash' | 'expires_at'>

type Registration = { challengeId: string; userId: string; sessionId: string }

const consumeRegistration = statement<Registration, { challenge: ConsumedRow }>(
  'consume_registration_challenge',
  (sql, $) => `
    delete from ${sql.table('web_authn_challenges')} c
    where c.id = ${$.challengeId} and c.purpose = 'registration' and c.user_id = ${$.userId}
      and c.session_id = ${$.sessionId}
    returning to_jsonb(c) as challenge`,
)

/**
 * Consumes a challenge of a registration, also an expired one: only one of several responses gets
 * it. A response of another user or session does not consume it.
 */
export async function consumeRegistrationChallenge(
  sql: Queryable,
  registration: Registration,
): Promise<ConsumedChallenge | null> {
  const [row] = await sql.query(consumeRegistration, registration)
  return row ? toConsumed(row.challenge) : null
}

const consumeSignUp = statement<{ challengeId: string }, { challenge: ConsumedRow }>(
  'consume_sign_up_challenge',
  (sql, $) => `
    delete from ${sql.table('web_authn_challenges')} c
    where c.id = ${$.challengeId} and c.purpose = 'signup'
    returning to_jsonb(c) as challenge`,
)

/**
 * Consumes a challenge of a sign-up, also an expired one: only one of several responses gets it.
 */
export async function consumeSignUpChallenge(
  sql: Queryable,
  challengeId: string,
): Promise<ConsumedChallenge | null> {
  const [row] = await sql.query(consumeSignUp, { challengeId })
  return row ? toConsumed(row.challenge) : null
}

/** A passkey with its user. */
export interface OwnedPasskey<User> {
  passkey: PasskeyRow
  user: User
}

const consumeAuthenticationWith = memoize(<User>(user: Selection<User>) =>
  statement<
    { challengeId: string; credentialId: string },
    { challenge: ConsumedRow; owned: OwnedPasskey<User> | null }
  >(
    'consume_authentication_challenge',
    (sql, $) => `
      with c as (
        delete from ${sql.table('web_authn_challenges')}
        where id = ${$.challengeId} and purpose = 'authentication'
        returning challenge_hash, expires_at
      )
      select to_json(c) as challenge, (
        select json_build_object('passkey', p, 'user', ${user(sql, 'u')})
        from ${sql.table('passkeys')} p join ${sql.table('users')} u on u.id = p.user_id
        where p.credential_id = ${$.credentialId} and u.deleted_at is null) as owned
      from c`,
  ),
)

/**
 * Consumes a challenge of a sign-in, also an expired one, and finds the passkey of the response, in
 * one statement: only one of several responses gets it.
 */
export async function consumeAuthenticationChallenge<User>(
  sql: Queryable,
  user: Selection<User>,
  { challengeId, credentialId }: { challengeId: string; credentialId: string },
): Promise<(ConsumedChallenge & { owned: OwnedPasskey<User> | null }) | null> {
  const [row] = await sql.query(consumeAuthenticationWith(user), { challengeId, credentialId })
  return row ? { ...toConsumed(row.challenge), owned: row.owned } : null
}

const toConsumed = (row: ConsumedRow): ConsumedChallenge => ({
  challengeHash: row.challenge_hash,
  expiresAt: new Date(row.expires_at),
})

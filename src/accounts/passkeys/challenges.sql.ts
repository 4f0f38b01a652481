import { memoize } from '../../platform/kit/memoize.ts'
import { deleteSurplusRows } from '../../platform/sql/delete-rows.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf, type Selection } from '../../platform/sql/tables.ts'
import type { PasskeyRow, WebAuthnChallengeRow } from './passkeys.sql.ts'

type ChallengeRows = { challengeRows: Rows<'web_authn_challenges'> }

const insert = statement<ChallengeRows>('insert_web_authn_challenge', (sql, $) =>
  sql.insertRows('web_authn_challenges', $.challengeRows),
)

/** Stores a challenge of a sign-in or sign-up. */
export async function storeChallenge(
  sql: Queryable,
  challenge: NewRow<'web_authn_challenges'>,
): Promise<void> {
  await sql.query(insert, { challengeRows: rowsOf('web_authn_challenges', challenge) })
}

/** A passkey in the form that an authenticator receives. */
export interface StoredCredential {
  id: string
  transports: string[]
}

/** The maximum number of pending registrations per user. A further one replaces the oldest. */
export const maxRegistrations = 100

const insertBelow = statement<
  ChallengeRows & { userId: string; maxPasskeys: number },
  { known: StoredCredential[]; is_full: boolean }
>(
  'insert_registration_challenge',
  (sql, $) => `
    with known as (
      select credential_id, transports, created_at from ${sql.table('passkeys')} where user_id = ${$.userId}
    ), surplus as (
      ${deleteSurplusRows(sql, 'web_authn_challenges', { owner: `user_id = ${$.userId}`, most: maxRegistrations })}
    ), c as (
      ${sql.insertRows('web_authn_challenges', $.challengeRows)}
      where (select count(*) from known) < ${$.maxPasskeys}::int returning id
    )
    select not exists (select from c) as is_full, coalesce((
      select jsonb_agg(jsonb_build_object('id', credential_id, 'transports', transports) order by created_at)
      from known), '[]') as known`,
)

/**
 * Stores a challenge for a user who has fewer passkeys than the maximum.
 *
 * @returns the user's passkeys; null where the user has the maximum.
 */
export async function storeRegistrationChallenge(
  sql: Queryable,
  challenge: NewRow<'web_authn_challenges'> & { user_id: string },
  maxPasskeys: number,
): Promise<StoredCredential[] | null> {
  const [stored] = await sql.query(insertBelow, {
    challengeRows: rowsOf('web_authn_challenges', challenge),
    userId: challenge.user_id,
    maxPasskeys,
  })
  return stored && !stored.is_full ? stored.known : null
}

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

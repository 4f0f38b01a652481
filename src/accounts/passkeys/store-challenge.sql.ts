import { deleteSurplusRows } from '../../platform/sql/delete-surplus-rows.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

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

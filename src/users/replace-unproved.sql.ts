import type { Queryable } from '../kit/queryable.ts'
import type { Account } from './account.ts'

export interface UnprovedReplacement {
  /** The account as it is to be. */
  account: Account
  passwordHash: string
  provider: 'email' | 'phone'
  tokenRows: string
  auditRows: string
  now: Date
}

/**
 * Gives an account that nobody has proved an address of to whoever signed up last: password, metadata
 * and link replace the earlier ones.
 *
 * @returns false when an address was proved, or the user deleted, in the meantime; then nothing
 *   changes.
 */
export async function replaceUnproved(
  sql: Queryable,
  { account, passwordHash, provider, tokenRows, auditRows, now }: UnprovedReplacement,
): Promise<boolean> {
  const identity = account.identities.find((one) => one.provider === provider)
  const replaced = await sql.query({
    name: 'replace_unproved',
    text: () => `
      with u as (
        update ${sql.table('users')}
        set password_hash = $2, user_metadata = $3, confirmation_sent_at = $4, updated_at = $4
        where id = $1 and email_confirmed_at is null and phone_confirmed_at is null
          and deleted_at is null
        returning id
      ), i as (
        update ${sql.table('identities')} i set identity_data = $6, updated_at = $4
        from u where i.user_id = u.id and i.provider = $5
      ), t as (
        ${sql.insertRows('one_time_tokens', '$7')} where exists (select from u)
        on conflict (user_id, purpose) do update set
          id = excluded.id, requested_by = excluded.requested_by, sent_to = excluded.sent_to,
          token_hash = excluded.token_hash, code_hash = excluded.code_hash, attempts = 0,
          code_challenge = excluded.code_challenge,
          code_challenge_method = excluded.code_challenge_method,
          expires_at = excluded.expires_at, created_at = excluded.created_at
      ), a as (
        ${sql.insertRows('audit_entries', '$8')} where exists (select from u)
      )
      select id from u`,
    values: [
      account.id,
      passwordHash,
      JSON.stringify(account.userMetadata),
      now.toISOString(),
      provider,
      JSON.stringify(identity?.identityData ?? {}),
      tokenRows,
      auditRows,
    ],
  })
  return replaced.length > 0
}

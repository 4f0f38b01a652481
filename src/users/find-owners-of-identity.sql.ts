import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserColumns,
  toStoredUser,
} from './find-user.sql.ts'

/** Somebody who comes with an identity. */
export interface IdentityQuestion {
  provider: string
  subject: string
  /** The addresses that the person has, in lower case: those that the provider has verified. */
  verified: readonly string[]
  /** All the addresses that the provider knows, in lower case. */
  addresses: readonly string[]
  /** The providers that are kept apart from all others, or, for one of these, those of its domain. */
  apart: readonly string[]
  /** Whether the providers of `apart` are the ones that count, and not those that do not. */
  isApart: boolean
}

/** A user whom an identity may be of, and why. */
export interface IdentityOwner extends StoredUser {
  /** The identity is theirs. */
  hasIdentity: boolean
  /** One of their identities within the same domain has a verified address that the person has, too. */
  hasVerifiedIdentityEmail: boolean
  /** Their own address is one that the person has. */
  hasVerifiedEmail: boolean
}

type Parameters = Omit<IdentityQuestion, 'verified' | 'addresses' | 'apart'> & {
  verified: string
  addresses: string
  apart: string
}

type OwnerRow = StoredUserColumns & {
  has_identity: boolean
  has_verified_identity_email: boolean
  has_verified_email: boolean
}

const find = statement<Parameters, OwnerRow>('find_owners_of_identity', (sql, $) => {
  const inDomain = (identity: string) =>
    `((${identity}.provider = any(array(select jsonb_array_elements_text(${$.apart}::jsonb)))) = ${$.isApart}::boolean)`
  const texts = (list: string) => `array(select jsonb_array_elements_text(${list}::jsonb))`
  return `
    with mine as materialized (
      select i.user_id from ${sql.table('identities')} i
      where i.provider = ${$.provider} and i.subject = ${$.subject}
    ), by_identity as materialized (
      select i.user_id, bool_or(i.email = any(${texts($.verified)})
        and i.identity_data -> 'email_verified' = 'true'::jsonb) as is_verified
      from ${sql.table('identities')} i
      where i.email = any(${texts($.addresses)}) and ${inDomain('i')}
      group by i.user_id
    ), by_email as materialized (
      select u.id as user_id, u.email = any(${texts($.verified)}) as is_verified
      from ${sql.table('users')} u
      where u.email = any(${texts($.addresses)}) and not u.is_sso_user and not ${$.isApart}::boolean
    )
    select ${storedUserColumns(sql, 'u')},
      exists (select from mine m where m.user_id = u.id) as has_identity,
      exists (select from by_identity b where b.user_id = u.id and b.is_verified) as has_verified_identity_email,
      exists (select from by_email b where b.user_id = u.id and b.is_verified) as has_verified_email
    from ${sql.table('users')} u
    where u.deleted_at is null and u.id in (
      select user_id from mine union select user_id from by_identity union select user_id from by_email)
    -- Anybody can claim an address at a provider that verifies none: they are never in the way of who has it.
    order by has_identity desc, u.id in (select user_id from by_email) desc,
      has_verified_identity_email desc, u.created_at, u.id limit 10`
})

/** Whoever an identity, or an address that comes with it, is known of. */
export async function findOwnersOfIdentity(
  sql: Queryable,
  { verified, addresses, apart, ...question }: IdentityQuestion,
): Promise<IdentityOwner[]> {
  const rows = await sql.query(find, {
    ...question,
    verified: JSON.stringify(verified),
    addresses: JSON.stringify(addresses),
    apart: JSON.stringify(apart),
  })
  return rows.map((row) => ({
    ...toStoredUser(row),
    hasIdentity: row.has_identity,
    hasVerifiedIdentityEmail: row.has_verified_identity_email,
    hasVerifiedEmail: row.has_verified_email,
  }))
}

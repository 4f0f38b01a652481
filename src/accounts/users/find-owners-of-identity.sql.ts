import { memoize } from '../../platform/kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserColumns,
  toStoredUser,
} from './find-user.sql.ts'
import type { LinkingDomain } from './linking-domain.ts'

/** An identity of a sign-in. */
export interface IdentityLookUp extends LinkingDomain {
  provider: string
  subject: string
  /** The addresses that the provider has verified, in lower case. */
  verified: readonly string[]
  /** All addresses of the profile, in lower case. */
  addresses: readonly string[]
}

/** A user that an identity may lead to, and the reasons. */
export interface IdentityOwner extends StoredUser {
  /** The user has the identity. */
  hasIdentity: boolean
  /**
   * An identity of the user within the same domain has one of the verified addresses as a verified
   * one.
   */
  hasVerifiedIdentityEmail: boolean
  /** The address of the user is one of the verified addresses. */
  hasVerifiedEmail: boolean
}

type Parameters = Omit<IdentityLookUp, 'verified' | 'addresses' | 'apart'> & {
  spending: ParameterValues
  verified: string
  addresses: string
  apart: string
}

type OwnerRow = StoredUserColumns & {
  has_identity: boolean
  has_verified_identity_email: boolean
  has_verified_email: boolean
}

const findAfter = memoize(<Spent>(spending: PreconditionText<Spent>) =>
  statement<Parameters, Spent & OwnerRow>('find_owners_of_identity', (sql, $) => {
    const inDomain = (identity: string) =>
      `((${identity}.provider = any(array(select jsonb_array_elements_text(${$.apart}::jsonb)))) = ${$.isApart}::boolean
        and (${identity}.identity_data ->> 'linking_domain') is not distinct from ${$.linkingDomain}::text)`
    const texts = (list: string) => `array(select jsonb_array_elements_text(${list}::jsonb))`
    return `
    with ${spending(sql, $.spending)}, mine as materialized (
      select i.user_id from ${sql.table('identities')} i
      where i.provider = ${$.provider} and i.subject = ${$.subject} and i.provider <> 'email'
    ), with_email as (
      select i.* from ${sql.table('identities')} i
      where i.email = any(${texts($.addresses)}) and i.provider <> 'email'
      -- Identities of our own provider are in no index of addresses: they have that of their user.
      union all select i.* from ${sql.table('users')} u
        join ${sql.table('identities')} i on i.user_id = u.id and i.provider = 'email'
      where u.email = any(${texts($.addresses)}) and not u.is_sso_user
    ), by_identity as materialized (
      select i.user_id, bool_or(i.email = any(${texts($.verified)})
        and i.identity_data -> 'email_verified' = 'true'::jsonb) as is_verified
      from with_email i
      where i.email = any(${texts($.addresses)}) and ${inDomain('i')} and i.suspended_at is null
      group by i.user_id
    ), by_email as materialized (
      select u.id as user_id, u.email = any(${texts($.verified)}) as is_verified
      from ${sql.table('users')} u
      where u.email = any(${texts($.addresses)}) and not u.is_sso_user and not ${$.isApart}::boolean
    )
    select spent.*, found.* from spent left join (
    select ranked.*, row_number() over () as place from (
    select ${storedUserColumns(sql, 'u')},
      exists (select from mine m where m.user_id = u.id) as has_identity,
      exists (select from by_identity b where b.user_id = u.id and b.is_verified) as has_verified_identity_email,
      exists (select from by_email b where b.user_id = u.id and b.is_verified) as has_verified_email
    from ${sql.table('users')} u
    where u.deleted_at is null and u.id in (
      select user_id from mine union select user_id from by_identity union select user_id from by_email)
    -- A provider may assert an address that it has not verified: the owner of the address precedes such users.
    order by has_identity desc, u.id in (select user_id from by_email) desc,
      has_verified_identity_email desc, u.created_at, u.id limit 10
    ) ranked) found on spent.allowed order by found.place`
  }),
)

/**
 * Consumes the assertion of a sign-in, and finds the users with its identity or an address of its
 * profile. Finds none where the assertion was consumed before.
 */
export async function findOwnersOfIdentity<Spent>(
  sql: Queryable,
  spending: Precondition<Spent>,
  { verified, addresses, apart, ...lookUp }: IdentityLookUp,
): Promise<{ spent: Spent; owners: IdentityOwner[] }> {
  const rows = await sql.query(findAfter(spending.text), {
    ...lookUp,
    spending: spending.values,
    verified: JSON.stringify(verified),
    addresses: JSON.stringify(addresses),
    apart: JSON.stringify(apart),
  })
  const [spent] = rows
  if (!spent) throw new Error('the sign-in was not spent')
  // Without a user, the one row is that of `spent`.
  const found = rows.filter((row) => (row.user as unknown) !== null)
  return {
    spent,
    owners: found.map((row) => ({
      ...toStoredUser(row),
      hasIdentity: row.has_identity,
      hasVerifiedIdentityEmail: row.has_verified_identity_email,
      hasVerifiedEmail: row.has_verified_email,
    })),
  }
}

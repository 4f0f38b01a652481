import type { Queryable } from '../sql/queryable.ts'

/** What limits know of somebody who was deleted. */
export interface DeletedPerson {
  id: string
  audience: string
  emails: string[]
  phones: string[]
  /** Where sessions were last used from. */
  ips: string[]
}

/** What a deletion was allowed by: it does not happen once this is otherwise. */
export interface DeletionTerms {
  /** The hash that a password was checked against. */
  passwordHash?: string
  /** A one-time token, which the deletion spends. */
  nonceTokenId?: string
  /** Who asks: a user who is not banned at this instant, in a session that has not ended, where there is one. */
  asking?: { sessionId: string | null; now: Date }
}

/**
 * Removes a user with all rows that belong to one, and tells what else is theirs.
 *
 * @returns null for nobody, and when the terms are not met any more.
 */
export async function deletePerson(
  sql: Queryable,
  userId: string,
  { passwordHash, nonceTokenId, asking }: DeletionTerms = {},
): Promise<DeletedPerson | null> {
  const [person] = await sql.query<DeletedPerson>({
    name: 'delete_person',
    text: () => `
      with u as (
        select id from ${sql.table('users')}
        where id = $1 and ($2::text is null or password_hash = $2)
          and ($5::timestamptz is null or banned_until is null or banned_until <= $5) for update
      ), asking as (
        select s.id from ${sql.table('sessions')} s join u on s.user_id = u.id
        where s.id = $4 and s.revoked_at is null for key share of s
      ), allowed as (
        select id from u where $4::uuid is null or exists (select from asking)
      ), spent as (
        delete from ${sql.table('one_time_tokens')} t using allowed
        where t.user_id = allowed.id and t.id = $3 returning t.id
      ), gone as (
        delete from ${sql.table('users')} g using allowed
        where g.id = allowed.id and ($3::uuid is null or exists (select from spent)) returning g.*
      ), i as (
        update ${sql.table('imported_users')} set fingerprint = ''
        where id = $1 and (exists (select from gone) or $5::timestamptz is null)
      )
      select id, audience,
        to_jsonb(array_remove(array[email, new_email], null)) as emails,
        to_jsonb(array_remove(array[phone, new_phone], null)) as phones,
        (select coalesce(jsonb_agg(distinct host(s.ip)), '[]') from ${sql.table('sessions')} s
          where s.user_id = gone.id and s.ip is not null) as ips
      from gone`,
    values: [
      userId,
      passwordHash ?? null,
      nonceTokenId ?? null,
      asking?.sessionId ?? null,
      asking?.now.toISOString() ?? null,
    ],
  })
  return person ?? null
}

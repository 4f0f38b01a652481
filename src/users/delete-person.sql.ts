import type { Queryable } from '../kit/queryable.ts'

/** What limits know of somebody who was deleted. */
export interface DeletedPerson {
  id: string
  audience: string
  emails: string[]
  phones: string[]
  /** Where sessions were last used from. */
  ips: string[]
}

/** Removes a user with all rows that belong to one, and tells what else is theirs. Null for nobody. */
export async function deletePerson(sql: Queryable, userId: string): Promise<DeletedPerson | null> {
  const [person] = await sql.query<DeletedPerson>({
    name: 'delete_person',
    text: () => `
      with gone as (
        delete from ${sql.table('users')} where id = $1 returning *
      )
      select id, audience,
        to_jsonb(array_remove(array[email, new_email], null)) as emails,
        to_jsonb(array_remove(array[phone, new_phone], null)) as phones,
        (select coalesce(jsonb_agg(distinct host(s.ip)), '[]') from ${sql.table('sessions')} s
          where s.user_id = gone.id and s.ip is not null) as ips
      from gone`,
    values: [userId],
  })
  return person ?? null
}

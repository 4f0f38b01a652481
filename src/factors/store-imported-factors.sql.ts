import { jsonRows, type Queryable } from '../kit/queryable.ts'

export interface ImportedFactors {
  /** All factors that these users have at the other service, as rows. */
  rows: readonly object[]
  userIds: readonly string[]
}

/**
 * Brings the factors of users to what they are at the other service: what is new is stored, what changed
 * there later than here is overwritten, and what came from there and is gone there goes. Factors that
 * were enrolled here stay, and those that were removed here are not stored again.
 *
 * @returns how many were new.
 */
export async function storeImportedFactors(
  sql: Queryable,
  { rows, userIds }: ImportedFactors,
): Promise<number> {
  const [result] = await sql.query<{ stored: number }>({
    name: '',
    text: () => storeText(sql),
    values: [jsonRows(...rows), JSON.stringify(userIds)],
  })
  return result?.stored ?? 0
}

/** What a factor is; the last code that was taken from it is known here alone. */
const overwritten = [
  ...['friendly_name', 'status', 'secret', 'phone', 'web_authn_credential', 'web_authn_aaguid'],
  ...['last_web_authn_challenge', 'last_challenged_at', 'updated_at'],
]

function storeText(sql: Queryable): string {
  const [factors, imported] = [sql.table('factors'), sql.table('imported_factors')]
  const same = 'f.user_id = g.user_id and f.id <> g.id'
  return `
    with given as (
      select * from jsonb_populate_recordset(null::${factors}, $1::jsonb)
    ), free as (
      select g.id from given g
      where not exists (select from ${imported} i where i.id = g.id)
        and not exists (select from ${factors} f
          where ${same} and (f.friendly_name = g.friendly_name or f.phone = g.phone))
    ), gone as (
      delete from ${factors} where id in (select found.id
        from jsonb_array_elements_text($2::jsonb) as given_users (id)
        cross join lateral (select f.id from ${factors} f join ${imported} i on i.id = f.id
          where f.user_id = given_users.id::uuid offset 0) found
        where found.id not in (select id from given))
    ), overwritten as (
      update ${factors} f set (${overwritten.join(', ')}) =
        row(${overwritten.map((column) => `g.${column}`).join(', ')})
      from given g where f.id = g.id and f.user_id = g.user_id and f.updated_at < g.updated_at
        and not exists (select from ${factors} o where o.user_id = g.user_id and o.id <> g.id
          and (o.friendly_name = g.friendly_name or o.phone = g.phone))
    ), stored as (
      ${sql.insertRows('factors', '$1')} where id in (select id from free)
      on conflict do nothing returning id
    ), remembered as (
      insert into ${imported} (id) select id from stored
    )
    select count(*)::int as stored from stored`
}

import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import {
  type NewRow,
  type Rows,
  type RowsExpression,
  rowsOf,
  type TableFragments,
} from '../../platform/sql/tables.ts'
import { loweredFromSubstitute, restsOnSubstitute } from '../sessions/session-assurance.sql.ts'
import { endGrantsOf } from '../users/end-grants.sql.ts'
import { isLeftAlone, withoutFactors } from './remove-factor.sql.ts'

export interface ImportedFactors {
  /** All factors that these users have at the other service, as rows. */
  rows: readonly NewRow<'factors'>[]
  userIds: readonly string[]
  /** What each type of factor is called in `amr`. */
  methods: Readonly<Record<string, string>>
}

export interface StoredFactors {
  /** How many were new. */
  added: number
  /** Whose factors could not come or change, one by one: another one here has the name or number. */
  refusedOf: string[]
}

/**
 * Brings the factors of users to what they are at the other service: what came from there and is gone
 * there goes, what changed there later than here is overwritten, and what is new is stored. Factors that
 * were enrolled here stay, and those that were removed here are not stored again.
 *
 * Four statements in a transaction of the caller's, since each has to see the names that the one before
 * it set free, and the last one which factors there are now: recovery codes that were generated here go with the last
 * of the others. A factor that goes takes along what it gave, as in `remove-factor.sql.ts`, and so do the grants of capabilities
 * where one comes.
 */
export async function storeImportedFactors(
  sql: Queryable,
  { rows, userIds, methods }: ImportedFactors,
): Promise<StoredFactors> {
  const factorRows = rowsOf('factors', ...rows)
  const going = { userIds: JSON.stringify(userIds), methods: JSON.stringify(methods) }
  await sql.query(deleteGone, { factorRows, ...going })
  await sql.query(overwrite, { factorRows })
  const [result] = await sql.query(store, { factorRows })
  await sql.query(deleteLeftAlone, going)
  return result ?? { added: 0, refusedOf: [] }
}

type FactorParameters = { factorRows: Rows<'factors'> }

const unprepared = 'a plan from when the tables were empty would read all of them'

type GoingParameters = { userIds: string; methods: string }

const deleteGone = statement<FactorParameters & GoingParameters>(
  'delete_gone_factors',
  (sql, $) => `
    with f as (
      delete from ${sql.table('factors')} where id in (select found.id
        from jsonb_array_elements_text(${$.userIds}::jsonb) as given_users (id)
        cross join lateral (
          select f.id from ${sql.table('factors')} f join ${sql.table('imported_factors')} i on i.id = f.id
          where f.user_id = given_users.id::uuid offset 0) found
        where found.id not in (
          select (r ->> 'id')::uuid from jsonb_array_elements(${$.factorRows}::jsonb) r))
      returning id, user_id, factor_type, status
    ), ${withoutFactors(sql, $.methods)}
    select id from f`,
  { unprepared },
)

const deleteLeftAlone = statement<GoingParameters>(
  'delete_lone_recovery_codes',
  (sql, $) => `
    with f as (
      delete from ${sql.table('factors')} f using jsonb_array_elements_text(${$.userIds}::jsonb) as given (id)
      where f.user_id = given.id::uuid and ${isLeftAlone(sql, 'f')}
      returning f.id, f.user_id, f.factor_type, f.status
    ), ${withoutFactors(sql, $.methods)}
    select id from f`,
  { unprepared },
)

/**
 * What a factor is. The last code that was taken from it is known here alone, and a security key may have counted up
 * since, here or there.
 */
const overwritten = [
  'friendly_name',
  'status',
  'secret',
  'phone',
  'credential_id',
  'public_key',
  'transports',
  'attestation_format',
  'web_authn_aaguid',
  'backup_eligible',
  'backed_up',
  'last_challenged_at',
  'updated_at',
]

const readRows = (sql: TableFragments, rows: RowsExpression<'factors'>): string =>
  `select * from jsonb_populate_recordset(null::${sql.table('factors')}, ${rows}::jsonb)`

/** A condition: another factor of the user, or another one of this credential, has what `g` wants. */
const isTaken = (sql: TableFragments): string => `(exists (
  select from ${sql.table('factors')} o where o.user_id = g.user_id and o.id <> g.id
    and (o.friendly_name = g.friendly_name or o.phone = g.phone))
  or exists (
    select from ${sql.table('factors')} o where o.credential_id = g.credential_id and o.id <> g.id))`

const overwrite = statement<FactorParameters>(
  'overwrite_factors',
  (sql, $) => `
    update ${sql.table('factors')} f set (${overwritten.join(', ')}) =
      row(${overwritten.map((column) => `g.${column}`).join(', ')}),
      sign_count = greatest(f.sign_count, g.sign_count)
    from (${readRows(sql, $.factorRows)}) g
    where f.id = g.id and f.user_id = g.user_id and f.updated_at < g.updated_at
      and not ${isTaken(sql)}`,
  { unprepared },
)

const store = statement<FactorParameters, StoredFactors>(
  'store_imported_factors',
  (sql, $) => `
    with given as (
      ${readRows(sql, $.factorRows)}
    ), fresh as (
      select g.id, g.user_id, ${isTaken(sql)} as is_taken from given g
      where not exists (select from ${sql.table('imported_factors')} i where i.id = g.id)
    ), stored as (
      ${sql.insertRows('factors', $.factorRows)} where id in (select id from fresh where not is_taken)
      on conflict do nothing returning id, user_id
    ), ${endGrantsOf(sql, '(select user_id as id from stored)')}, lowered as (
      update ${sql.table('sessions')} s set ${loweredFromSubstitute}
      from (select distinct user_id from stored) owner cross join lateral (
        select o.id from ${sql.table('sessions')} o
        where o.user_id = owner.user_id and ${restsOnSubstitute('o')}
        offset 0) raised
      where s.id = raised.id
    ), remembered as (
      insert into ${sql.table('imported_factors')} (id) select id from stored
    ), refused as (
      select user_id from fresh where id not in (select id from stored)
      union all select g.user_id from given g join ${sql.table('factors')} f on f.id = g.id
      where f.updated_at < g.updated_at and f.user_id = g.user_id and ${isTaken(sql)}
    )
    select (select count(*)::int from stored) as added,
      (select coalesce(jsonb_agg(user_id), '[]') from refused) as "refusedOf"`,
  { unprepared },
)

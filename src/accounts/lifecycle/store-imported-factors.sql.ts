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
import { endParts } from './end-parts.sql.ts'
import { isLeftAlone, withoutFactors } from './remove-factor.sql.ts'

export interface ImportedFactors {
  /** All factors of these users at the other service, as rows. */
  rows: readonly NewRow<'factors'>[]
  userIds: readonly string[]
  /** The method in `amr` of each type of factor. */
  methods: Readonly<Record<string, string>>
}

export interface StoredFactors {
  /** The number of new factors. */
  added: number
  /** The number of deleted factors, with sets of recovery codes that were left alone. */
  removed: number
  /**
   * The user of each factor that was not stored or changed, because another factor here has its
   * name or number.
   */
  refusedOf: string[]
}

/**
 * Updates the imported factors of users to their state at the other service. It deletes those that
 * no longer exist there, overwrites those that changed there later than here, and stores new ones.
 * Factors that were enrolled here stay, and those that were removed here are not stored again.
 *
 * The caller's transaction runs four statements. Each needs the names that the previous one
 * released, and the last needs the remaining factors: recovery codes that were generated here are
 * deleted with the last of the others. A deleted factor ends what it granted, as in
 * `remove-factor.sql.ts`. A new factor ends the grants of capabilities.
 */
export async function storeImportedFactors(
  sql: Queryable,
  { rows, userIds, methods }: ImportedFactors,
): Promise<StoredFactors> {
  const factorRows = rowsOf('factors', ...rows)
  const affected = { userIds: JSON.stringify(userIds), methods: JSON.stringify(methods) }
  const missing = await sql.query(deleteMissing, { factorRows, ...affected })
  await sql.query(overwrite, { factorRows })
  const [result] = await sql.query(store, { factorRows })
  const leftAlone = await sql.query(deleteLeftAlone, affected)
  const { added = 0, refusedOf = [] } = result ?? {}
  return { added, refusedOf, removed: missing.length + leftAlone.length }
}

type FactorParameters = { factorRows: Rows<'factors'> }

const unprepared = 'a plan from when the tables were empty would read all of them'

type AffectedParameters = { userIds: string; methods: string }

const deleteMissing = statement<FactorParameters & AffectedParameters>(
  'delete_missing_factors',
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

const deleteLeftAlone = statement<AffectedParameters>(
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
 * The columns that are overwritten. The step of the last accepted code is known only here, and the
 * signature count of a security key may have increased here or there since the import.
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

/**
 * Returns a condition: another factor has the name or number within the user, or the credential, of
 * `g`.
 */
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

const store = statement<FactorParameters, Omit<StoredFactors, 'removed'>>(
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
    ), ${endParts(sql, '(select user_id as id from stored)', { factorImported: 'true' })}, lowered as (
      update ${sql.table('sessions')} s set ${loweredFromSubstitute}
      from (select distinct user_id from stored) owner cross join lateral (
        select o.id from ${sql.table('sessions')} o
        where o.user_id = owner.user_id and ${restsOnSubstitute('o')}
        offset 0) raised
      where s.id = raised.id
    ), marked as (
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

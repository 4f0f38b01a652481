import { setTimeout as sleep } from 'node:timers/promises'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import { keyIdOf, reseal } from '../../platform/kit/sealed-box.ts'
import { describeError } from '../../platform/observability/describe-error.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import type { SealedColumn } from '../../platform/sql/sealed-column.ts'
import { statement } from '../../platform/sql/statement.ts'
import { isSealed, sealedColumns } from '../../service/sealed-rows.ts'

/** The result of sealing all values with the current root key. */
export interface Resealed {
  /** Number of values that were sealed again, by their name. */
  counts: Record<string, number>
  /** Number of values that remained locked by other statements. */
  busy: number
  /** Number of values that could not be opened, by the reason. */
  failures: Record<string, number>
}

/** The number of passes over busy rows. */
const passes = 5

interface SealedValue {
  id: string
  sealed: string
}

const unprepared = 'it runs by hand'

const idTypeOf = ({ idType }: SealedColumn): string => idType ?? 'uuid'

const findFormer = memoize((column: SealedColumn) =>
  statement<{ current: string; after: string | null; limit: number }, SealedValue>(
    'find_former_sealed_rows',
    (sql, $) => `
      select ${column.id} as id, ${column.column} as sealed from ${sql.table(column.table)}
      where ${isSealed(column)} and not starts_with(${column.column}, ${$.current})
        and (${$.after}::text is null or ${column.id} > ${$.after}::text::${idTypeOf(column)})
      order by ${column.id} limit ${$.limit}`,
    { unprepared },
  ),
)

/** Skips rows that other statements have locked, so that neither side waits. */
const replace = memoize((column: SealedColumn) =>
  statement<{ values: string }, { id: string }>(
    'replace_sealed_rows',
    (sql, $) => `
      with free as (
        select t.${column.id} as id, r.resealed
        from jsonb_to_recordset(${$.values}::jsonb) r (id ${idTypeOf(column)}, sealed text, resealed text)
        join ${sql.table(column.table)} t on t.${column.id} = r.id and t.${column.column} = r.sealed
        where ${column.isFree ?? 'true'} order by t.${column.id} for no key update of t skip locked
      )
      update ${sql.table(column.table)} t set ${column.column} = free.resealed
      from free where t.${column.id} = free.id returning t.${column.id} as id`,
    { unprepared },
  ),
)

/**
 * Seals values of former root keys with the current one, in batches of one statement each. A value
 * is replaced only if it is unchanged since it was read, so the service and other instances of this
 * may run meanwhile. After an interruption the next run continues with the rest.
 */
export async function resealRows(
  sql: Queryable,
  roots: RootKeys,
  { columns = sealedColumns, batchSize = 200, pauseMs = 1_000 } = {},
): Promise<Resealed> {
  const result: Resealed = { counts: {}, busy: 0, failures: {} }
  for (const column of columns) {
    if (column.boxOf === null) continue
    let pass = await resealColumn(sql, roots, column, batchSize)
    for (let tries = 1; ; tries++) {
      result.counts[column.name] = (result.counts[column.name] ?? 0) + pass.resealed
      if (pass.busy === 0 || tries === passes) break
      await sleep(pauseMs)
      pass = await resealColumn(sql, roots, column, batchSize)
    }
    result.busy += pass.busy
    Object.assign(result.failures, pass.failures)
  }
  return result
}

/** Processes a column once. */
async function resealColumn(
  sql: Queryable,
  roots: RootKeys,
  column: SealedColumn,
  limit: number,
): Promise<{ resealed: number; busy: number; failures: Record<string, number> }> {
  const current = `v2.${keyIdOf(roots.current)}.`
  const failures: Record<string, number> = {}
  const done = { resealed: 0, busy: 0, failures }
  let after: string | null = null
  for (;;) {
    const rows: SealedValue[] = await sql.query(findFormer(column), { current, after, limit })
    const values = rows.flatMap((row) => {
      try {
        const resealed = reseal(roots, column.boxOf?.(row.id) ?? '', row.sealed)
        return resealed === null ? [] : [{ ...row, resealed }]
      } catch (error) {
        const reason = `${column.name}: ${describeError(error)}`
        failures[reason] = (failures[reason] ?? 0) + 1
        return []
      }
    })
    const replaced = values.length
      ? await sql.query(replace(column), { values: JSON.stringify(values) })
      : []
    done.resealed += replaced.length
    done.busy += values.length - replaced.length
    after = rows.at(-1)?.id ?? null
    if (rows.length < limit) return done
  }
}

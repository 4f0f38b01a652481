import { type DatabaseFunction, functionOf } from '../../delivery/hooks/call-database-hook.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Finding, problem } from '../../service/doctor/finding.ts'

const findFunction = statement<{ schema: string; name: string }, { may_execute: boolean }>(
  'find_function_of_hook',
  (_, $) => `
    select has_function_privilege(p.oid, 'execute') and has_schema_privilege(n.oid, 'usage')
      as may_execute
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = ${$.schema} and p.proname = ${$.name} and p.prokind = 'f'
      and p.pronargs >= 1 and p.pronargs - p.pronargdefaults <= 1`,
  { unprepared: 'it runs by hand' },
)

/** Checks that the functions of hooks exist: without one, each request of the hook fails. */
export async function checkDatabaseHooks(
  sql: Queryable,
  { hooks }: Pick<Config, 'hooks'>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [point, { enabled, uri }] of Object.entries(hooks)) {
    const called = enabled && uri !== null ? functionOf(uri) : null
    if (called) findings.push(...assess(point, called, await sql.query(findFunction, called)))
  }
  return findings
}

function assess(
  point: string,
  { schema, name }: DatabaseFunction,
  found: readonly { may_execute: boolean }[],
): Finding[] {
  if (found.some(({ may_execute: may }) => may)) return []
  return found.length === 0
    ? [
        problem(
          'hooks',
          `${point}: the function ${schema}.${name} with one argument does not exist`,
          'create it in this database',
        ),
      ]
    : [
        problem(
          'hooks',
          `${point}: the function ${schema}.${name} cannot be executed`,
          'grant usage on its schema and execute on it to the role of AUTH_DATABASE_URL',
        ),
      ]
}

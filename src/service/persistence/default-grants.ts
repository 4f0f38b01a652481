import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { onceAtStart } from './foreign-schema.ts'

/** Privileges of a role other than the owner. */
export interface DefaultGrant {
  name: string
  /** With its schema, in quotes where it needs them. */
  relation: string
  kind: 'table' | 'sequence'
  grantee: string
}

/**
 * Selects the privileges of other roles on relations.
 *
 * @see PostgreSQL documentation, 5.8: an ACL is null while only the owner has any
 */
const grantsIn = (schema: string) => `
    select distinct c.relname as name, format('%I.%I', n.nspname, c.relname) as relation,
      case when c.relkind = 'S' then 'sequence' else 'table' end as kind,
      case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as grantee
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(c.relacl) a
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'S') and a.grantee <> c.relowner
    order by name, grantee`

export const findGrants = statement<{ schema: string }, DefaultGrant>(
  'find_grants',
  (_, $) => grantsIn($.schema),
  { unprepared: onceAtStart },
)

const relationsIn = (schema: string) => `
    select format('%I.%I', n.nspname, c.relname) as relation
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'S')`

const findRelations = statement<{ schema: string }, { relation: string }>(
  'find_relations',
  (_, $) => relationsIn($.schema),
  { unprepared: onceAtStart },
)

const revoke = ({ relation, kind, grantee }: DefaultGrant) =>
  statement('revoke_default_grant', () => `revoke all on ${kind} ${relation} from ${grantee}`, {
    unprepared: onceAtStart,
  })

/**
 * Runs work that creates tables, and revokes privileges that default privileges grant on them to
 * other roles. Privileges on existing tables are the operator's, and stay.
 *
 * @param sql statements of the transaction of the work.
 */
export async function withoutDefaultGrants<T>(
  sql: Queryable,
  schema: string,
  work: () => Promise<T>,
): Promise<T> {
  const existing = new Set((await sql.query(findRelations, { schema })).map(relationOf))
  const result = await work()
  for (const grant of await sql.query(findGrants, { schema })) {
    if (!existing.has(grant.relation)) await sql.query(revoke(grant), {})
  }
  return result
}

const relationOf = ({ relation }: { relation: string }): string => relation

/**
 * Returns blocks for a script with the same effect: one before the statements that create tables,
 * one after them. A setting of the connection contains the relations that exist before.
 *
 * @param schema as a literal of SQL.
 */
export const blocksWithoutDefaultGrants = (schema: string): { before: string; after: string } => ({
  before: `do $latchkey$ begin
  perform set_config('latchkey.relations', (
    select coalesce(json_agg(r.relation), '[]')::text from (${relationsIn(schema)}) r
  ), false);
end $latchkey$`,
  after: `do $latchkey$ declare given record; begin
  for given in
    select g.* from (${grantsIn(schema)}) g
    where g.relation not in (
      select * from json_array_elements_text(current_setting('latchkey.relations')::json))
  loop
    execute format('revoke all on %s %s from %s', given.kind, given.relation, given.grantee);
  end loop;
end $latchkey$`,
})

import { runSql } from './sql.ts'

/** The description of each kind of object in a schema, one line per object. */
export type SchemaDescription = Record<string, string[]>

/** Statements that return `line`s; `$1` is the schema. */
const statements: Record<string, string> = {
  columns: `
    select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'v', 'm')
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where n.nspname = $1 and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`,
  tableOptions: `
    select c.relname || ' ' || array_to_string(c.reloptions, ', ') as line
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.reloptions is not null`,
  indexes: `
    select indexdef as line from pg_indexes where schemaname = $1`,
  constraints: `
    select c.relname || ' ' || k.conname || ': ' || pg_get_constraintdef(k.oid) as line
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    -- PostgreSQL 18 lists each "not null", too, which the columns show already.
    where n.nspname = $1 and k.contype <> 'n'`,
  functions: `
    select p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') returns '
      || pg_get_function_result(p.oid)
      || case p.provolatile when 'i' then ' immutable' when 's' then ' stable' else ' volatile' end
      || case when p.prosecdef then ' security definer' else '' end
      || coalesce(' set ' || array_to_string(p.proconfig, ' '), '') as line
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = $1`,
  triggers: `
    select pg_get_triggerdef(t.oid) as line
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and not t.tgisinternal`,
  // The owner is the role of the migration, so only grants to other roles are described.
  grantsToOthers: `
    select kind || ' ' || name || ': ' || privilege as line
    from (
      select 'schema' as kind, n.nspname::text as name, n.nspowner as owner, n.nspacl as acl
      from pg_namespace n where n.nspname = $1
      union all
      select 'table', c.relname, c.relowner, c.relacl
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'S')
      union all
      select 'function', p.proname, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = $1
    ) things, lateral (
      select case when grantee = 0 then 'public' else grantee::regrole::text end
        || ' may ' || lower(privilege_type) as privilege
      from aclexplode(acl) where grantee <> owner
    ) granted`,
}

/**
 * Describes tables with columns, types and nullability, indexes, constraints, functions and grants.
 */
export async function describeSchema(url: string, schema: string): Promise<SchemaDescription> {
  const lines = Object.entries(statements).map(async ([kind, text]) => {
    const rows = await runSql(url, { text, values: [schema] })
    const texts = rows.map(({ line }) => String(line))
    // Columns keep the order of their table; other objects have none.
    return [kind, kind === 'columns' ? texts : texts.toSorted()] as const
  })
  return Object.fromEntries(await Promise.all(lines))
}

import type { ClientBase } from 'pg'

/** The timeout of the server. */
const patienceMs = 5_000

/**
 * Removes schemas from the search path in which other roles can create objects: PostgreSQL prefers
 * their operators and functions where these fit the types of a statement better than its own, and
 * runs them with the privileges of this connection. Up to PostgreSQL 14 every role can create
 * objects in `public`.
 *
 * Behind a pooler, nothing changes, because the connection to the server also serves other clients;
 * its id differs from the announced one. The statement itself names the schema of all objects that
 * it uses.
 *
 * @see CVE-2018-1058
 * @see PostgreSQL documentation, 5.10.6 Usage Patterns
 */
export async function trustSearchPath(client: ClientBase): Promise<void> {
  const { processID } = client as unknown as { processID: number | null }
  if (processID === null) return
  const query = { text: narrowPath, values: [processID], query_timeout: patienceMs }
  await client.query(query).catch((error: unknown) => {
    // Other databases with PostgreSQL's protocol may lack these functions; they have no operators
    // of users.
    if (!Object.hasOwn(Object(error), 'severity')) throw error
  })
}

/**
 * Whether a role is trusted with a schema: superusers, the role of this connection and the roles
 * that it is a member of. Role 0, which means every role, is not.
 */
const isTrusted = (role: string) => `exists (
      select from pg_catalog.pg_roles r where r.oid operator(pg_catalog.=) ${role} and (
        r.rolsuper or r.rolname operator(pg_catalog.=) any (array[current_user, 'pg_database_owner'::pg_catalog.name])
        or exists (select from pg_catalog.pg_auth_members m join pg_catalog.pg_roles own on own.oid operator(pg_catalog.=) m.member
          where m.roleid operator(pg_catalog.=) r.oid and own.rolname operator(pg_catalog.=) current_user)))`

const narrowPath = `
  select pg_catalog.set_config('search_path', coalesce((
    select pg_catalog.string_agg(pg_catalog.quote_ident(n.nspname::pg_catalog.text), ', ' order by p.place)
    from rows from (pg_catalog.unnest(pg_catalog.current_schemas(false))) with ordinality p (name, place)
    join pg_catalog.pg_namespace n on n.nspname operator(pg_catalog.=) p.name
    where ${isTrusted('n.nspowner')} and not exists (
      select from pg_catalog.aclexplode(n.nspacl) a
      where a.privilege_type operator(pg_catalog.=) 'CREATE' and not ${isTrusted('a.grantee')})
  ), ''), false)
  where pg_catalog.pg_backend_pid() operator(pg_catalog.=) $1`

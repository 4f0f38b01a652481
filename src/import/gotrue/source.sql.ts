import { maxUserAgentLength } from '../../platform/http/request-like.ts'
import { describeForeignLayout } from './required-columns.ts'
import type { SourceUser } from './source-records.ts'

/** A connection to the GoTrue database, in a read-only transaction. */
export interface SourceConnection {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** The GoTrue database cannot be read, or contains invalid data. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** The tables and columns of the source. Older releases of GoTrue lack some. */
export interface SourceLayout {
  /** The quoted, schema-qualified name of a table. */
  table(name: string): string
  has(table: string, column?: string): boolean
}

/** @throws SourceError if the schema is not that of GoTrue. */
export async function readLayout(source: SourceConnection, schema: string): Promise<SourceLayout> {
  const rows = await source.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm')
     group by c.relname`,
    [schema],
  )
  const tables = new Map(rows.map(({ table, columns }) => [table, new Set(columns)]))
  const has = (table: string, column?: string) =>
    column === undefined ? tables.has(table) : tables.get(table)?.has(column) === true
  const difference = describeForeignLayout(schema, tables)
  if (difference !== null) throw new SourceError(difference)
  return { has, table: (name) => `${quoted(schema)}.${quoted(name)}` }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const countUsers = (source: SourceConnection, layout: SourceLayout): Promise<number> =>
  count(source, layout.table('users'))

/** The data that are not imported, in the order of the report, with their tables. */
const staysBehind = {
  ssoProviders: 'sso_providers',
  pendingLinks: 'one_time_tokens',
} as const

/** The number of rows of each kind that remain at the source. */
export type StaysBehind = Record<keyof typeof staysBehind | 'tokensWithoutSession', number>

export async function countWhatStays(
  source: SourceConnection,
  layout: SourceLayout,
): Promise<StaysBehind> {
  const counts: Partial<StaysBehind> = {}
  for (const [kind, table] of Object.entries(staysBehind) as [keyof StaysBehind, string][]) {
    counts[kind] = layout.has(table) ? await count(source, layout.table(table)) : 0
  }
  counts.tokensWithoutSession = await countTokensWithoutSession(source, layout)
  return counts as StaysBehind
}

/** Counts tokens from before GoTrue stored sessions: later releases reject and delete them. */
function countTokensWithoutSession(
  source: SourceConnection,
  layout: SourceLayout,
): Promise<number> | number {
  if (!layout.has('refresh_tokens')) return 0
  const orphaned = layout.has('refresh_tokens', 'session_id') ? 'session_id is null and' : ''
  return count(source, `${layout.table('refresh_tokens')} where ${orphaned} revoked is not true`)
}

async function count(source: SourceConnection, from: string): Promise<number> {
  const [row] = await source.query<{ count: string }>(`select count(*) from ${from}`)
  return Number(row?.count)
}

/** Returns the next ids of users, in their order. */
export async function findSourceIds(
  source: SourceConnection,
  layout: SourceLayout,
  { after, limit }: { after: string | null; limit: number },
): Promise<string[]> {
  const rows = await source.query<{ id: string }>(
    `select id from ${layout.table('users')} where $1::uuid is null or id > $1::uuid order by id limit $2`,
    [after, limit],
  )
  return rows.map(({ id }) => id)
}

/** Their rows need many times this memory as objects and parameters. */
const maxBytesAtOnce = 16 * 1024 * 1024

/**
 * Returns the next users by id, each with all data, in one statement: as many as fit in memory, and
 * at least one. Rows are read as JSON, so that their columns may vary.
 *
 * @param after the id of the previous user; null to begin.
 * @param ids the ids of the users to read; null for all.
 */
export const findSourceUsers = (
  source: SourceConnection,
  layout: SourceLayout,
  { after, limit, ids }: { after: string | null; limit: number; ids: readonly string[] | null },
): Promise<SourceUser[]> =>
  source.query<SourceUser>(
    `with sized as (
       select n.id, coalesce(sum(octet_length(to_jsonb(n)::text) + ${identityBytes(layout)}
           + ${hasSessions(layout) ? sessionBytes(layout) : '0'})
         over (order by n.id rows between unbounded preceding and 1 preceding), 0) as before
       from (select * from ${layout.table('users')}
         where ($1::uuid is null or id > $1::uuid) and ($3::uuid[] is null or id = any($3::uuid[]))
         order by id limit $2) n
     )
     select to_jsonb(u) - ${unread} as "user",
       ${rowsOf(layout, 'identities')} as identities,
       ${rowsOf(layout, 'mfa_factors')} as factors,
       ${rowsOf(layout, 'webauthn_credentials')} as passkeys,
       ${hasSessions(layout) ? sessionsOf(layout) : noRows} as sessions,
       ${hasSessions(layout) ? sessionsBeyond(layout) : '0'} as "sessionsLeft"
     from ${layout.table('users')} u
     where u.id in (select id from sized where before < ${maxBytesAtOnce})
     order by u.id`,
    [after, limit, ids],
  )

/** Secrets of links and codes, which are not imported. */
const unread = `'{confirmation_token,recovery_token,email_change_token_new,email_change_token_current,
  phone_change_token,reauthentication_token}'::text[]`

const noRows = `'[]'::jsonb`

const rowsOf = (layout: SourceLayout, table: string): string =>
  layout.has(table)
    ? `(select coalesce(jsonb_agg(to_jsonb(r) order by r.created_at, r.id), '[]')
        from ${layout.table(table)} r where r.user_id = u.id)`
    : noRows

const identityBytes = (layout: SourceLayout): string =>
  layout.has('identities')
    ? `(select coalesce(sum(octet_length(to_jsonb(r)::text)), 0)
        from ${layout.table('identities')} r where r.user_id = n.id)`
    : '0'

const hasSessions = (layout: SourceLayout): boolean =>
  layout.has('sessions') && layout.has('refresh_tokens', 'session_id')

/**
 * The maximum of sessions per user, the newest first. A client program may have created many, and
 * some hundred users are read at once.
 */
const maxSessions = 1000

/** The bytes of a session with its tokens. Its texts are shortened. */
const sessionBytes = (layout: SourceLayout): string => `2048 * (
  select least(count(*), ${maxSessions}) from ${layout.table('sessions')} r where r.user_id = n.id)`

/** Texts of clients, which GoTrue stores whatever their length. */
const shortened = (layout: SourceLayout): string =>
  ['user_agent', 'tag']
    .filter((column) => layout.has('sessions', column))
    .map((column) => `, '${column}', left(s.${column}, ${maxUserAgentLength})`)
    .join('')

const sessionsOf = (layout: SourceLayout): string => `(
  select coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object('amr', ${amrOf(layout)}${shortened(layout)}) || t.found
    order by s.created_at, s.id), '[]')
  from (
    select * from ${layout.table('sessions')} where user_id = u.id
    order by created_at desc nulls last, id limit ${maxSessions}
  ) s cross join lateral (${tokensOf(layout)}) t)`

const sessionsBeyond = (layout: SourceLayout): string => `(
  select greatest(count(*) - ${maxSessions}, 0)::int
  from ${layout.table('sessions')} where user_id = u.id)`

const amrOf = (layout: SourceLayout): string =>
  layout.has('mfa_amr_claims')
    ? `(select coalesce(jsonb_agg(to_jsonb(c)), '[]')
        from ${layout.table('mfa_amr_claims')} c where c.session_id = s.id)`
    : noRows

/**
 * Returns the tokens of a session: the live ones, and the one that the newest replaced, since
 * GoTrue still accepts it from clients that lost a response. Only these rows are read, of the
 * thousands that a long session may have.
 */
const tokensOf = (layout: SourceLayout): string => `
  with live as (
    select r.id, r.token, r.parent, r.updated_at from ${layout.table('refresh_tokens')} r
    where r.session_id = s.id and r.revoked is not true
  )
  select jsonb_build_object(
    'tokens', coalesce((select jsonb_agg(token) filter (where token is not null) from (
      select token from live
      union select parent from live where id = (select max(id) from live) and parent <> ''
    ) accepted), '[]'),
    'tokens_updated_at', (select max(updated_at) from live)
  ) as found`

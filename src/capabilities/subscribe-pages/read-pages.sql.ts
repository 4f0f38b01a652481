import type { AuthContext } from '../../accounts/auth-context.ts'
import { type PageRow as Cut, withinPageBytes } from '../../platform/sql/page-by-key.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { byRule, holderQuery, type KeyCheck, keyCheck } from './keys.sql.ts'
import { ownerExpression, type PagesUser } from './owner.ts'
import type { SubscribePageRow } from './page.ts'

/** An expression for one page with its entries; `page` is the alias of the table. */
const pageExpression = (sql: TableFragments, page: string): string => `json_build_object(
  'id', ${page}.id, 'title', ${page}.title, 'active', ${page}.active, 'version', ${page}.version,
  'owner', ${ownerExpression(sql, `${page}.owner_id`)},
  'data', coalesce((
    select json_agg(json_build_object('key', e.key, 'value', e.value) order by e.key collate "C")
    from ${sql.table('subscribe_page_entries')} e where e.page_id = ${page}.id), '[]'))`

const findPageQuery = (sql: TableFragments, id: string): string => `
  select ${pageExpression(sql, 'p')} from ${sql.table('subscribe_pages')} p where p.id = ${id}`

const findOne = statement<{ id: number }, { page: SubscribePageRow | null }>(
  'find_subscribe_page',
  (sql, $) => `select (${findPageQuery(sql, $.id)}) as page`,
)

export async function findPage(
  { sql }: Pick<AuthContext, 'sql'>,
  id: number,
): Promise<SubscribePageRow | null> {
  const [row] = await sql.query(findOne, { id })
  return row?.page ?? null
}

/** The version of a public page, with its content if that version is not the known one. */
export interface PublicPageRow {
  version: number
  owner_id: number | null
  page: SubscribePageRow | null
}

type KnownVersion = { version: number | null; ownerId: number | null }

const findPublic = statement<{ id: number } & KnownVersion, PublicPageRow>(
  'find_public_subscribe_page',
  (sql, $) => `
    select p.version, p.owner_id,
      case when p.version = ${$.version}::int and p.owner_id is not distinct from ${$.ownerId}::int
        then null else ${pageExpression(sql, 'p')} end as page
    from ${sql.table('subscribe_pages')} p where p.id = ${$.id} and p.active`,
)

/** Returns an active page; null without one. Its content is not read if its version is known. */
export async function findPublicPage(
  { sql }: AuthContext,
  id: number,
  known: KnownVersion,
): Promise<PublicPageRow | null> {
  const [row] = await sql.query(findPublic, { id, ...known })
  return row ?? null
}

interface HeldPage {
  page: SubscribePageRow | null
  holder: PagesUser | null
}

const findHeld = byRule((singlePerUser) =>
  statement<{ id: number; key: KeyCheck }, HeldPage>(
    'find_held_subscribe_page',
    (sql, $) => `select (${findPageQuery(sql, $.id)}) as page,
      (${holderQuery(sql, $.key, singlePerUser)}) as holder`,
  ),
)

/** Returns a page and the owner of a key in one statement. Either may be missing. */
export async function findPageAndHolder(
  ctx: AuthContext,
  id: number,
  keyHash: string,
): Promise<HeldPage> {
  const [row] = await ctx.sql.query(findHeld(ctx), { id, key: keyCheck(ctx, keyHash) })
  return row ?? { page: null, holder: null }
}

/** The position in the list of pages, which is ordered by id. */
export type PageCursor = { afterId: number; limit: number }

export interface PageList {
  pages: SubscribePageRow[]
  /** The number of all pages. */
  total: number
  /** True if the list has fewer pages than the limit, because more would need too much memory. */
  isCut: boolean
}

type ListedRow = { total: number; holder?: PagesUser | null } & Partial<Cut<SubscribePageRow>>

const listQuery = (
  sql: TableFragments,
  { afterId, limit }: Record<keyof PageCursor, string>,
  { head, condition }: { head: string; condition: string },
): string => `
  select t.*, i.item, i.is_cut
  from (select ${head} (select count(*)::int from ${sql.table('subscribe_pages')}) as total) t
  left join (${withinPageBytes(`
    select ${pageExpression(sql, 'p')} as item from ${sql.table('subscribe_pages')} p
    where p.id > ${afterId} ${condition} order by p.id limit ${limit}`)}) i on true
  order by i.place`

const listAll = statement<PageCursor, ListedRow>('list_subscribe_pages', (sql, $) =>
  listQuery(sql, $, { head: '', condition: '' }),
)

export async function listPages({ sql }: AuthContext, cursor: PageCursor): Promise<PageList> {
  return readList(await sql.query(listAll, cursor))
}

const listHeld = byRule((singlePerUser) =>
  statement<PageCursor & { key: KeyCheck }, ListedRow>(
    'list_held_subscribe_pages',
    (sql, $) => `
      with held as materialized (${holderQuery(sql, $.key, singlePerUser)})
      ${listQuery(sql, $, {
        head: '(select holder from held) as holder,',
        condition: 'and exists (select from held)',
      })}`,
  ),
)

/** Lists pages for the owner of a key, in one statement. Without an owner there are none. */
export async function listPagesForHolder(
  ctx: AuthContext,
  cursor: PageCursor,
  keyHash: string,
): Promise<PageList & { holder: PagesUser | null }> {
  const rows = await ctx.sql.query(listHeld(ctx), { ...cursor, key: keyCheck(ctx, keyHash) })
  return { ...readList(rows), holder: rows[0]?.holder ?? null }
}

const readList = (rows: readonly ListedRow[]): PageList => ({
  pages: rows.flatMap(({ item }) => item ?? []),
  total: rows[0]?.total ?? 0,
  isCut: rows.at(-1)?.is_cut ?? false,
})

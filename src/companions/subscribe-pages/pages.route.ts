import type { H3Event } from 'h3'
import type { AuthContext } from '../../deps.ts'
import { Answer, jsonAnswer } from '../../http/answer.ts'
import {
  type Administrator,
  administratorOf,
  findAdministrator,
  requireAllowed,
} from './authenticate.ts'
import { type PageRow, presentPage, presentPublicPage } from './page.ts'
import { notAllowed, pageNotFound } from './pages-error.ts'
import { readBody } from './read-body.ts'
import { readCredential } from './read-credential.ts'
import { maxId, readId, readNumber } from './read-id.ts'
import { readPage } from './read-page.ts'
import { findPage, findPageAndHolder, listPages, listPagesForHolder } from './read-pages.sql.ts'
import type { Register } from './register.ts'
import { createPage, updatePage } from './write-page.ts'
import { deletePage } from './write-pages.sql.ts'

const usualLimit = 25
const maxLimit = 100

/** `GET /subscribe-pages`: pages of all owners by their ids, each with its entries. */
export function listPagesRoute(register: Register): void {
  register('GET', '/subscribe-pages', async (event, ctx) => {
    const limit = readNumber(event, 'limit', { absent: usualLimit, min: 1, max: maxLimit })
    const afterId = readNumber(event, 'after_id', { absent: 0, min: -1, max: maxId })

    const { pages, total, isCut } = await listForAdministrator(event, ctx, { afterId, limit })
    return {
      items: pages.map((page) => presentPage(page, ctx.config.jwt.adminRoles)),
      pagination: {
        total,
        limit,
        has_more: isCut || pages.length === limit,
        next_cursor: pages.at(-1)?.id ?? null,
      },
    }
  })
}

async function listForAdministrator(
  event: H3Event,
  ctx: AuthContext,
  cursor: { afterId: number; limit: number },
) {
  const credential = readCredential(event)
  if (credential && 'keyHash' in credential) {
    const { holder, ...list } = await listPagesForHolder(ctx, cursor, credential.keyHash)
    requireAllowed(administratorOf(holder), 'view')
    return list
  }
  requireAllowed(await findAdministrator(ctx, credential), 'view')
  return listPages(ctx, cursor)
}

/** `POST /subscribe-pages`: a new page, whose owner is who asks. */
export function createPageRoute(register: Register): void {
  register('POST', '/subscribe-pages', async (event, ctx) => {
    const { user } = await requireAdministrator(event, ctx, 'create')
    // Nobody would own it.
    if (!user) throw notAllowed('create')
    const input = readPage(await readBody(event))

    const page = await createPage(ctx, user, input)
    return jsonAnswer(201, presentPage(page, ctx.config.jwt.adminRoles))
  })
}

/** `GET /subscribe-pages/{id}`: any page for an administrator, one that is active for anybody. */
export function getPageRoute(register: Register): void {
  register('GET', '/subscribe-pages/:id(\\d+)', async (event, ctx) => {
    const { page, administrator } = await findPageAndReader(event, ctx)
    if (!page || !(page.active || administrator)) throw pageNotFound()
    return administrator ? presentPage(page, ctx.config.jwt.adminRoles) : presentPublicPage(page)
  })
}

/** `PUT /subscribe-pages/{id}`: replaces a page, and makes who asks its owner. */
export function updatePageRoute(register: Register): void {
  register('PUT', '/subscribe-pages/:id(\\d+)', async (event, ctx) => {
    const { page, administrator } = await findPageAndReader(event, ctx)
    const { user } = requireAllowed(administrator, 'update')
    if (!page) throw pageNotFound()
    const input = readPage(await readBody(event))

    const updated = await updatePage(ctx, user, page, input)
    return presentPage(updated, ctx.config.jwt.adminRoles)
  })
}

/** `DELETE /subscribe-pages/{id}` */
export function deletePageRoute(register: Register): void {
  register('DELETE', '/subscribe-pages/:id(\\d+)', async (event, ctx) => {
    await requireAdministrator(event, ctx, 'delete')
    const id = readId(event, 'id')

    if (id === null || !(await deletePage(ctx.sql, id))) throw pageNotFound()
    return new Answer(204)
  })
}

const requireAdministrator = async (
  event: H3Event,
  ctx: AuthContext,
  action: 'create' | 'delete',
): Promise<Administrator> =>
  requireAllowed(await findAdministrator(ctx, readCredential(event)), action)

/** The page in the path and who asks for it, of whom either may be null. */
async function findPageAndReader(
  event: H3Event,
  ctx: AuthContext,
): Promise<{ page: PageRow | null; administrator: Administrator | null }> {
  const credential = readCredential(event)
  const id = readId(event, 'id')
  if (id !== null && credential && 'keyHash' in credential) {
    await ctx.request.arrived()
    const { page, holder } = await findPageAndHolder(ctx, id, credential.keyHash)
    return { page, administrator: administratorOf(holder) }
  }
  const administrator = await findAdministrator(ctx, credential)
  return { page: id === null ? null : await findPage(ctx, id), administrator }
}

import type { H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { Answer, jsonAnswer } from '../../platform/http/answer.ts'
import { maxBodyBytes } from '../../platform/http/body-limit.ts'
import {
  type Administrator,
  administratorOf,
  findAdministrator,
  requireAllowed,
} from './authenticate.ts'
import { presentPage, presentPublicPage, type SubscribePageRow } from './page.ts'
import { notAllowed, pageNotFound } from './pages-error.ts'
import { createPublicPages } from './public-pages.ts'
import { maxId, readId, readNumber } from './read-id.ts'
import { readPage } from './read-page.ts'
import { findPage, findPageAndHolder, listPages, listPagesForHolder } from './read-pages.sql.ts'
import { readCredential } from './read-pages-credential.ts'
import type { PagesRequest, Register } from './register.ts'
import { createPage, updatePage } from './write-page.ts'
import { deletePage } from './write-pages.sql.ts'

const usualLimit = 25
const maxLimit = 100

/** `GET /subscribe-pages`: pages of all owners in the order of their ids, each with its entries. */
export function listPagesRoute(register: Register): void {
  register('GET', '/subscribe-pages', async ({ event, ctx }) => {
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

/** `POST /subscribe-pages`: creates a page. The caller becomes its owner. */
export function createPageRoute(register: Register): void {
  const create = async ({ event, ctx, body }: PagesRequest) => {
    const { user } = await requireAdministrator(event, ctx, 'create')
    // The page would have no owner.
    if (!user) throw notAllowed('create')

    const page = await createPage(ctx, user, readPage(body()))
    return jsonAnswer(201, presentPage(page, ctx.config.jwt.adminRoles))
  }
  register('POST', '/subscribe-pages', create, { requiresCredential: true, maxBodyBytes })
}

/**
 * `GET /subscribe-pages/{id}`: any page for an administrator, an active one for all other clients.
 */
export function getPageRoute(register: Register): void {
  const publicBytes = createPublicPages()
  register('GET', '/subscribe-pages/:id(\\d+)', async ({ event, ctx }) => {
    if (!readCredential(event)) return servePublic(await publicBytes(ctx, requireId(event)))
    const { page, administrator } = await findPageAndReader(event, ctx)
    if (!page || !(page.active || administrator)) throw pageNotFound()
    return administrator ? presentPage(page, ctx.config.jwt.adminRoles) : presentPublicPage(page)
  })
}

function requireId(event: H3Event): number {
  const id = readId(event, 'id')
  if (id === null) throw pageNotFound()
  return id
}

function servePublic(bytes: Uint8Array | null): Answer {
  if (!bytes) throw pageNotFound()
  return new Answer(200, { 'content-type': 'application/json;charset=UTF-8' }, bytes)
}

/** `PUT /subscribe-pages/{id}`: replaces a page. The caller becomes its owner. */
export function updatePageRoute(register: Register): void {
  const update = async ({ event, ctx, body }: PagesRequest) => {
    const { page, administrator } = await findPageAndReader(event, ctx)
    const { user } = requireAllowed(administrator, 'update')
    if (!page) throw pageNotFound()

    const updated = await updatePage(ctx, user, page, readPage(body()))
    return presentPage(updated, ctx.config.jwt.adminRoles)
  }
  register('PUT', '/subscribe-pages/:id(\\d+)', update, { requiresCredential: true, maxBodyBytes })
}

/** `DELETE /subscribe-pages/{id}` */
export function deletePageRoute(register: Register): void {
  register('DELETE', '/subscribe-pages/:id(\\d+)', async ({ event, ctx }) => {
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

/** Finds the page of the path and the caller. Either may be null. */
async function findPageAndReader(
  event: H3Event,
  ctx: AuthContext,
): Promise<{ page: SubscribePageRow | null; administrator: Administrator | null }> {
  const credential = readCredential(event)
  const id = readId(event, 'id')
  if (id !== null && credential && 'keyHash' in credential) {
    const { page, holder } = await findPageAndHolder(ctx, id, credential.keyHash)
    return { page, administrator: administratorOf(holder) }
  }
  const administrator = await findAdministrator(ctx, credential)
  return { page: id === null ? null : await findPage(ctx, id), administrator }
}

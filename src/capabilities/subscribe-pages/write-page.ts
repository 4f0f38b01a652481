import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import type { PagesUser } from './owner.ts'
import type { SubscribePageRow, UnversionedPage } from './page.ts'
import { noSession, pageNotFound, tooManyPages } from './pages-error.ts'
import type { PageInput } from './read-page.ts'
import { findPage } from './read-pages.sql.ts'
import { insertPage, lockPage, maxPagesPerOwner, replacePage } from './write-pages.sql.ts'

/**
 * @throws SubscribePagesError 403 if the user was deleted meanwhile, 422 for a user with the
 *   maximum number of pages.
 */
export async function createPage(
  ctx: AuthContext,
  user: PagesUser,
  input: PageInput,
): Promise<UnversionedPage> {
  const written = await insertPage(ctx.sql, user.userId, input)
  if (!written) throw noSession()
  if (written === 'full') throw tooManyPages(maxPagesPerOwner)
  const { title, active, data } = input
  return { id: written.id, title, active, owner: ownerOf(user, written), data: data ?? [] }
}

/**
 * Replaces a page. Of two concurrent replacements one is stored as a whole; they are not merged.
 *
 * A replacement that loses a race is repeated with the row locked, so that many of one page are
 * stored one after another.
 *
 * @param user the new owner; null keeps the present one.
 * @param found the page as it was read.
 * @throws SubscribePagesError 404 if it was deleted meanwhile, 403 if the user was, 422 for a new
 *   owner with the maximum number of pages.
 */
export async function updatePage(
  ctx: AuthContext,
  user: PagesUser | null,
  found: SubscribePageRow,
  input: PageInput,
): Promise<UnversionedPage> {
  const userId = user?.userId ?? null
  return (
    (await tryToReplace(ctx.sql, user, found, input)) ??
    ctx.transaction(async (tx) => {
      await lockPage(tx.sql, found.id, userId)
      const stored = await findPage(tx, found.id)
      if (!stored) throw pageNotFound()
      const replaced = await tryToReplace(tx.sql, user, stored, input)
      // The page cannot have changed, so the user must have been deleted.
      if (!replaced) throw noSession()
      return replaced
    })
  )
}

async function tryToReplace(
  sql: Queryable,
  user: PagesUser | null,
  { id, version, owner, data: known }: SubscribePageRow,
  { title, active, data }: PageInput,
): Promise<UnversionedPage | null> {
  const userId = user?.userId ?? null
  const written = await replacePage(sql, { id, version, title, active, data, userId })
  if (!written) return null
  if (written === 'full') throw tooManyPages(maxPagesPerOwner)
  return { id, title, active, owner: user ? ownerOf(user, written) : owner, data: data ?? known }
}

const ownerOf = (
  user: PagesUser,
  { ownerId }: { ownerId: number | null },
): SubscribePageRow['owner'] => (ownerId === null ? null : { ...user, id: ownerId })

import type { AuthContext } from '../../accounts/auth-context.ts'
import { retryLostRaces } from '../../platform/sql/retry-lost-races.ts'
import type { PagesUser } from './authenticate.ts'
import type { SubscribePageRow, UnversionedPage } from './page.ts'
import { noSession, pageNotFound, tooManyPages } from './pages-error.ts'
import type { PageInput } from './read-page.ts'
import { findPage } from './read-pages.sql.ts'
import { insertPage, maxPagesPerOwner, replacePage } from './write-pages.sql.ts'

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
 * @param user the new owner; null keeps the present one.
 * @param found the page as it was read.
 * @throws SubscribePagesError 404 if it was deleted meanwhile, 403 if the user was; AuthError
 *   `conflict` (409) after eight lost races.
 */
export async function updatePage(
  ctx: AuthContext,
  user: PagesUser | null,
  found: SubscribePageRow,
  { title, active, data }: PageInput,
): Promise<UnversionedPage> {
  const { id } = found
  const userId = user?.userId ?? null
  let known = found
  return retryLostRaces(async () => {
    const replacement = { id, version: known.version, title, active, data, userId }
    const written = await replacePage(ctx.sql, replacement)
    if (written) {
      const owner = user ? ownerOf(user, written) : known.owner
      return { id, title, active, owner, data: data ?? known.data }
    }
    const stored = await findPage(ctx, id)
    if (!stored) throw pageNotFound()
    // The page is unchanged, so the user must have been deleted.
    if (stored.version === known.version) throw noSession()
    known = stored
    return null
  })
}

const ownerOf = (
  user: PagesUser,
  { ownerId }: { ownerId: number | null },
): SubscribePageRow['owner'] => (ownerId === null ? null : { ...user, id: ownerId })

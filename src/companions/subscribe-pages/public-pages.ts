import type { AuthContext } from '../../accounts/auth-context.ts'
import { createSemaphore } from '../../platform/kit/semaphore.ts'
import { presentPublicPage } from './page.ts'
import { findPublicPage } from './read-pages.sql.ts'

/** The response of one version of a page, which all of its readers share. */
interface KeptPage {
  version: number
  ownerId: number | null
  bytes: Uint8Array
}

/** Finds the bytes of a public page; null without an active one. */
export type FindPublicBytes = (ctx: AuthContext, id: number) => Promise<Uint8Array | null>

const maxKeptBytes = 8 * 1_048_576

/** More pages than these are not read at a time: each may be a mebibyte, several times over until it is kept. */
const readAtOnce = 2

/**
 * Keeps the bytes of public pages, one version of each, and drops the oldest beyond a bound. Each request queries whether
 * the version is still the current one.
 */
export function createPublicPages(): FindPublicBytes {
  const kept = new Map<number, KeptPage>()
  const inTurn = createSemaphore(readAtOnce)
  let keptBytes = 0

  const drop = (id: number): void => {
    keptBytes -= kept.get(id)?.bytes.byteLength ?? 0
    kept.delete(id)
  }
  const keep = (id: number, page: KeptPage): void => {
    drop(id)
    kept.set(id, page)
    keptBytes += page.bytes.byteLength
    for (const [oldest] of kept) {
      if (keptBytes <= maxKeptBytes) return
      drop(oldest)
    }
  }
  return (ctx, id) =>
    inTurn(async () => {
      const known = kept.get(id)
      const { version = null, ownerId = null } = known ?? {}
      const found = await findPublicPage(ctx, id, { version, ownerId })
      if (!found) {
        drop(id)
        return null
      }
      if (!found.page) return known?.bytes ?? null
      const bytes = Buffer.from(JSON.stringify(presentPublicPage(found.page)))
      keep(id, { version: found.version, ownerId: found.owner_id, bytes })
      return bytes
    })
}

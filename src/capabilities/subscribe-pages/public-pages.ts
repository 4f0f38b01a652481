import type { AuthContext } from '../../accounts/auth-context.ts'
import { createSemaphore } from '../../platform/kit/concurrency.ts'
import { presentPublicPage } from './page.ts'
import { findPublicPage } from './read-pages.sql.ts'

/** The response with one version of a page, which all readers share. */
interface KeptPage {
  version: number
  ownerId: number | null
  bytes: Uint8Array
}

/** Returns the bytes of a public page; null if there is no active one. */
export type FindPublicBytes = (ctx: AuthContext, id: number) => Promise<Uint8Array | null>

const maxKeptBytes = 8 * 1_048_576

/**
 * The number of pages that are read at a time. A page may need several mebibytes until it is
 * cached.
 */
const readAtOnce = 2

/**
 * Caches the bytes of public pages, one version of each, and deletes the oldest above a limit. Each
 * request queries whether the version is current.
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
      const current = kept.get(id)
      // Another request may have read the same version meanwhile.
      if (current?.version === found.version && current.ownerId === found.owner_id) {
        return current.bytes
      }
      const bytes = Buffer.from(JSON.stringify(presentPublicPage(found.page)))
      keep(id, { version: found.version, ownerId: found.owner_id, bytes })
      return bytes
    })
}

import { type Owner, type OwnerRow, presentOwner } from './owner.ts'

/** One of a page's texts and settings. */
export interface PageEntry {
  key: string
  value: string
}

/** A page as a statement reads it, with its entries in the order of their keys. */
export interface SubscribePageRow {
  id: number
  title: string
  active: boolean
  /** Null where the owner was deleted. */
  owner: OwnerRow | null
  data: PageEntry[]
  version: number
}

/** A page without what tells versions apart. */
export type UnversionedPage = Omit<SubscribePageRow, 'version'>

/** A page as it is answered. */
export interface PresentedPage {
  id: number
  title: string
  active: boolean
  owner: Owner | { id: number } | null
  data: PageEntry[]
}

/** A page as administrators see it. */
export const presentPage = (
  { id, title, active, owner, data }: UnversionedPage,
  adminRoles: readonly string[],
): PresentedPage => ({
  id,
  title,
  active,
  owner: owner && presentOwner(owner, adminRoles),
  data,
})

/** The same for anybody else: who owns it is nobody's concern, not even their address. */
export const presentPublicPage = ({
  id,
  title,
  active,
  owner,
  data,
}: SubscribePageRow): PresentedPage => ({
  id,
  title,
  active,
  owner: owner && { id: owner.id },
  data,
})

/** Entries as they are stored and answered: of two with one key the last, in the order of the keys' bytes. */
export function sortedEntries(given: readonly PageEntry[]): PageEntry[] {
  const byKey = new Map(given.map(({ key, value }) => [key, value]))
  return [...byKey]
    .map(([key, value]) => ({ key, value }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)))
}

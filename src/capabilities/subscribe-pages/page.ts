import { type Owner, type OwnerRow, presentOwner } from './owner.ts'

/** A text or setting of a page. */
export interface PageEntry {
  key: string
  value: string
}

/** A page as a statement reads it. Its entries are in the order of their keys. */
export interface SubscribePageRow {
  id: number
  title: string
  active: boolean
  /** Null if the owner was deleted. */
  owner: OwnerRow | null
  data: PageEntry[]
  version: number
}

/** A page without its version. */
export type UnversionedPage = Omit<SubscribePageRow, 'version'>

/** A page in a response. */
export interface PresentedPage {
  id: number
  title: string
  active: boolean
  owner: Owner | { id: number } | null
  data: PageEntry[]
}

/** Returns the form of a page for administrators. */
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

/** Returns the form of a page for all others. It does not contain the owner's address. */
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

/** Sorts entries by the bytes of their keys. Of two with the same key the last is kept. */
export function sortedEntries(given: readonly PageEntry[]): PageEntry[] {
  const byKey = new Map(given.map(({ key, value }) => [key, value]))
  return [...byKey]
    .map(([key, value]) => ({ key, value }))
    .sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)))
}

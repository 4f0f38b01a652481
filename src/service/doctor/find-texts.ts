import { Resolver } from 'node:dns/promises'
import type { TextRecords } from './check-mail-records.ts'

const nothingThere = new Set(['ENOTFOUND', 'ENODATA'])

/** Looks up text records by the resolver of this machine. */
export const findTexts: TextRecords = async (name) => {
  try {
    const records = await new Resolver({ timeout: 3_000, tries: 2 }).resolveTxt(name)
    return records.map((parts) => parts.join(''))
  } catch (error) {
    if (nothingThere.has(Object(error).code)) return []
    throw error
  }
}

import { isRecord } from '../../platform/kit/is-record.ts'
import type { PageEntry } from './page.ts'
import { sortedEntries } from './page.ts'
import { invalidData, type Violations, validationFailed } from './pages-error.ts'

/** The content of a new page, or of a replacement. */
export interface PageInput {
  title: string
  active: boolean
  /** Null where the request does not contain it. */
  data: PageEntry[] | null
}

const maxTitleLength = 255
const maxKeyLength = 100
const maxValueBytes = 65_536
const maxEntries = 200

const blank = 'This value should not be blank.'
const missing = 'This field is missing.'
const noText = 'This value should be of type string.'

const tooLong = (limit: number, unit: string): string =>
  `This value is too long. It should have ${limit} ${unit} or less.`

/**
 * Reads the content of a page: first the types of its fields, then all rules for their values.
 *
 * @throws SubscribePagesError 400 for a wrong type, 422 with every violated rule.
 */
export function readPage(body: Record<string, unknown>): PageInput {
  const { title, active = false, data } = body
  if (title !== undefined && typeof title !== 'string') throw invalidData('title has to be a text.')
  if (typeof active !== 'boolean') throw invalidData('active has to be true or false.')
  const entries = readEntries(data)

  const violations = { ...judgeTitle(title), ...(entries && judgeEntries(entries)) }
  if (title === undefined || Object.keys(violations).length > 0) throw validationFailed(violations)
  // `judgeEntries` has verified both types.
  return { title, active, data: entries && sortedEntries(entries as unknown as PageEntry[]) }
}

function readEntries(data: unknown): Record<string, unknown>[] | null {
  if (data === undefined) return null
  const entries = data ?? []
  if (!Array.isArray(entries)) throw invalidData('data has to be a list.')
  if (!entries.every(isRecord)) throw invalidData('data has to hold objects.')
  return entries
}

function judgeTitle(title: string | undefined): Violations {
  const violations: string[] = []
  if (title === undefined || title.trim() === '') violations.push(blank)
  if (title === '') violations.push('This value is too short. It should have 1 character or more.')
  if (title !== undefined && isLongerThan(title, maxTitleLength)) {
    violations.push(tooLong(maxTitleLength, 'characters'))
  }
  return violations.length === 0 ? {} : { title: violations }
}

function judgeEntries(entries: readonly Record<string, unknown>[]): Violations {
  if (entries.length > maxEntries) {
    return { data: [`This collection should contain ${maxEntries} elements or less.`] }
  }
  const violations: Violations = {}
  for (const [index, entry] of entries.entries()) {
    const { key, value, ...others } = entry
    const addProblem = (name: string, text: string | null): void => {
      if (text !== null) violations[`data[${index}][${name}]`] = [text]
    }
    addProblem('key', judgeKey(key))
    addProblem('value', judgeValue(value))
    for (const name of Object.keys(others)) addProblem(name, 'This field was not expected.')
  }
  return violations
}

function judgeKey(key: unknown): string | null {
  if (key === undefined) return missing
  if (typeof key !== 'string') return noText
  if (key.trim() === '') return blank
  return isLongerThan(key, maxKeyLength) ? tooLong(maxKeyLength, 'characters') : null
}

function judgeValue(value: unknown): string | null {
  if (value === undefined) return missing
  if (typeof value !== 'string') return noText
  return Buffer.byteLength(value) > maxValueBytes ? tooLong(maxValueBytes, 'bytes') : null
}

/** Counts code points, not the UTF-16 units of JavaScript. */
const isLongerThan = (text: string, limit: number): boolean =>
  text.length > limit && [...text].length > limit

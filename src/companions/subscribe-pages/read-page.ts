import { isRecord } from '../../platform/kit/is-record.ts'
import type { PageEntry } from './page.ts'
import { sortedEntries } from './page.ts'
import { invalidData, type Violations, validationFailed } from './pages-error.ts'

/** What a page is created with, or replaced by. */
export interface PageInput {
  title: string
  active: boolean
  /** Null where nothing was said of them. */
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
 * Reads what a page is to be: first that its fields are of the right types, then everything that is wrong with their
 * values at once.
 *
 * @throws SubscribePagesError 400 for a wrong type, 422 with every rule that a value breaks.
 */
export function readPage(body: Record<string, unknown>): PageInput {
  const { title, active = false, data } = body
  if (title !== undefined && typeof title !== 'string') throw invalidData('title has to be a text.')
  if (typeof active !== 'boolean') throw invalidData('active has to be true or false.')
  const entries = readEntries(data)

  const violations = { ...judgeTitle(title), ...(entries && judgeEntries(entries)) }
  if (title === undefined || Object.keys(violations).length > 0) throw validationFailed(violations)
  // Judged a moment ago: both are texts.
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
    const say = (name: string, text: string | null): void => {
      if (text !== null) violations[`data[${index}][${name}]`] = [text]
    }
    say('key', judgeKey(key))
    say('value', judgeValue(value))
    for (const name of Object.keys(others)) say(name, 'This field was not expected.')
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

/** Characters as people count them who write another script: not the halves that JavaScript counts. */
const isLongerThan = (text: string, limit: number): boolean =>
  text.length > limit && [...text].length > limit

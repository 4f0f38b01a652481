import type { H3Event } from 'h3'
import { validationFailed } from '../errors/request-errors.ts'
import { createSemaphore } from '../kit/semaphore.ts'
import { maxPageBytes } from '../sql/page-within-bytes.ts'
import { setAnswerHeaders } from './answer-request.ts'
import { Text, Whole } from './inputs.ts'
import { readQuery } from './read-request.ts'

/** The fields of a method in code that lists by key: see `KeyPageInput`. */
export const keyPageFields = { limit: Whole, cursor: Text } as const

/** Which page of a list is asked for. The first is 1. */
export interface Page {
  page: number
  perPage: number
}

/** More at once would take a part of the process's memory that others need. */
const maxPerPage = 10_000

/**
 * Reads `page` and `per_page`; empty counts as missing. The page 0 is the first.
 *
 * @throws AuthError `validation_failed` for what is no number, or out of bounds.
 */
export function readPage(event: H3Event): Page {
  const page = readNumber(event, 'page') ?? 1
  const perPage = readNumber(event, 'per_page') ?? 50
  if (perPage < 1 || perPage > maxPerPage) {
    throw badPagination(`per_page has to be from 1 to ${maxPerPage}`)
  }
  return { page: Math.max(1, page), perPage }
}

function readNumber(event: H3Event, name: string): number | undefined {
  const text = readQuery(event, name)
  if (text === undefined) return undefined
  // Nine digits of pages with ten thousand rows each are numbers that PostgreSQL can count to.
  if (!/^\d{1,9}$/.test(text)) throw badPagination(`${name} has to be a whole number`)
  return Number(text)
}

/** More rows than these are read and written for two requests at a time: a page takes up to 30 MB meanwhile. */
const maxRowsOutOfTurn = 100

/** Answers requests for pages of a list, large ones in their turn. */
export function createPageTurns(): <T>(page: Page, answer: () => Promise<T>) => Promise<T> {
  const inTurn = createSemaphore(2)
  return ({ perPage }, answer) => (perPage > maxRowsOutOfTurn ? inTurn(answer) : answer())
}

/**
 * Refuses a page that would take too much memory. A shorter one would leave out rows that no other page has.
 *
 * @throws AuthError `validation_failed`
 */
export function requireWholePage(
  { perPage }: Page,
  rows: readonly unknown[],
  isCut: boolean,
): void {
  if (!isCut) return
  throw badPagination(
    `${perPage} rows take more than ${maxPageBytes} bytes; ${rows.length} would fit in per_page`,
  )
}

const badPagination = (detail: string) => validationFailed(`Bad Pagination Parameters: ${detail}`)

/** Says in the headers of an answer how many rows there are, and where the other pages are. */
export function setPageHeaders(event: H3Event, { page, perPage }: Page, total: number): void {
  const lastPage = Math.ceil(total / perPage)
  const links = [`<${pageUrl(event, lastPage)}>; rel="last"`]
  if (page < lastPage) links.unshift(`<${pageUrl(event, page + 1)}>; rel="next"`)
  setAnswerHeaders(event, { link: links.join(', '), 'x-total-count': String(total) })
}

/** Clients read the number behind the first `=`, so the page comes before all else. */
function pageUrl({ url }: H3Event, page: number): string {
  const others = new URLSearchParams(url.searchParams)
  others.delete('page')
  others.sort()
  return `${url.pathname}?${new URLSearchParams([['page', String(page)], ...others])}`
}

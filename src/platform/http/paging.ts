import type { H3Event } from 'h3'
import { validationFailed } from '../errors/request-errors.ts'
import { createSemaphore } from '../kit/concurrency.ts'
import { maxPageBytes } from '../sql/page-by-key.ts'
import { setAnswerHeaders } from './answer-request.ts'
import { Text, Whole } from './inputs.ts'
import { readQuery } from './read-request.ts'

/** The fields of a method in code that lists by key: see `KeyPageInput`. */
export const keyPageFields = { limit: Whole, cursor: Text } as const

/** The requested page of a list. The first is 1. */
export interface Page {
  page: number
  perPage: number
}

/** The maximum page size: larger pages would use too much memory. */
const maxPerPage = 10_000

/**
 * Reads `page` and `per_page`; empty counts as absent. Page 0 is the first.
 *
 * @param usual the page size of a request that states none. Default 50.
 * @throws AuthError `validation_failed` if one is not a number, or out of bounds.
 */
export function readPage(event: H3Event, usual = 50): Page {
  const page = readNumber(event, 'page') ?? 1
  const perPage = readNumber(event, 'per_page') ?? usual
  if (perPage < 1 || perPage > maxPerPage) {
    throw badPagination(`per_page has to be from 1 to ${maxPerPage}`)
  }
  return { page: Math.max(1, page), perPage }
}

function readNumber(event: H3Event, name: string): number | undefined {
  const text = readQuery(event, name)
  if (text === undefined) return undefined
  // Nine digits of pages with ten thousand rows each are within the integers of PostgreSQL.
  if (!/^\d{1,9}$/.test(text)) throw badPagination(`${name} has to be a whole number`)
  return Number(text)
}

/** Larger pages are handled for two requests at a time, since each uses up to 30 MB. */
const maxRowsOutOfTurn = 100

/** Returns a function that handles requests for pages, and limits concurrent large ones. */
export function createPageSemaphore(): <T>(page: Page, answer: () => Promise<T>) => Promise<T> {
  const inTurn = createSemaphore(2)
  return ({ perPage }, answer) => (perPage > maxRowsOutOfTurn ? inTurn(answer) : answer())
}

/**
 * Rejects a page that would use too much memory. Truncating it would omit rows that no other page
 * contains.
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

/** Sets the response headers with the number of rows and links to other pages. */
export function setPageHeaders(event: H3Event, { page, perPage }: Page, total: number): void {
  const lastPage = Math.ceil(total / perPage)
  const links = [`<${pageUrl(event, lastPage)}>; rel="last"`]
  if (page < lastPage) links.unshift(`<${pageUrl(event, page + 1)}>; rel="next"`)
  setAnswerHeaders(event, { link: links.join(', '), 'x-total-count': String(total) })
}

/**
 * Returns the URL of a page. Clients read the number after the first `=`, so `page` is the first
 * parameter.
 */
function pageUrl({ url }: H3Event, page: number): string {
  const others = new URLSearchParams(url.searchParams)
  others.delete('page')
  others.sort()
  return `${url.pathname}?${new URLSearchParams([['page', String(page)], ...others])}`
}

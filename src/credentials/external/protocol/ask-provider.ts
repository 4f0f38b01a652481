import type { JsonReader } from '../../../platform/config/sections/provider-definition.ts'
import { holdsManyValues, holdsMoreThan } from '../../../platform/kit/count-values.ts'
import type { FetchAnswer, FetchOptions } from '../../../platform/kit/safe-fetch.ts'
import type { UrlTrust } from '../../../platform/kit/url-trust.ts'
import { jsonReader } from './json-reader.ts'

/** Asks another server, within the bounds of `platform/kit/safe-fetch.ts`. */
export type Fetch = (url: string, options: FetchOptions) => Promise<FetchAnswer>

/** What it takes to ask a provider. */
export interface ProviderAccess {
  fetch: Fetch
  timeoutMs: number
}

interface Question {
  /** Default `operator`: the configuration named the address. */
  trust?: UrlTrust
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Most that is read of the answer. Default 1 MiB. */
  maxBytes?: number
}

const defaultMaxBytes = 1024 * 1024

/** For each value of an answer, as many bytes are allowed: what is made of a value takes more room than its text. */
const bytesPerValue = 64

/**
 * Asks a provider for JSON.
 *
 * @throws Error when the status is not 2xx, or what came is no JSON, or holds too many values. Nothing of the answer is quoted: it may hold tokens.
 */
export async function askForJson(
  access: ProviderAccess,
  url: string,
  question: Question = {},
): Promise<JsonReader> {
  const { status, headers, text } = await ask(access, url, question)
  const maxValues = maxValuesOf(question)
  if (status < 200 || status > 299) throw new Error(`${originOf(url)} answered ${status}`)
  return jsonReader(parse(text, { contentType: headers['content-type'], url, maxValues }))
}

/**
 * Asks a provider for JSON, whatever its status.
 *
 * @returns the JSON; null where a status other than 2xx brings none.
 * @throws Error when a status of 2xx brings none. Nothing of the answer is quoted.
 */
export async function askForAnswer(
  access: ProviderAccess,
  url: string,
  question: Question,
): Promise<{ status: number; answer: JsonReader | null }> {
  const { status, headers, text } = await ask(access, url, question)
  const maxValues = maxValuesOf(question)
  try {
    const form = { contentType: headers['content-type'], url, maxValues }
    return { status, answer: jsonReader(parse(text, form)) }
  } catch (error) {
    if (status >= 200 && status <= 299) throw error
    return { status, answer: null }
  }
}

/** Asks a provider for whatever it answers. */
export const ask = (
  { fetch, timeoutMs }: ProviderAccess,
  url: string,
  { headers, trust = 'operator', maxBytes = defaultMaxBytes, ...question }: Question = {},
): Promise<FetchAnswer> =>
  fetch(url, {
    trust,
    timeoutMs,
    maxBytes,
    headers: { accept: 'application/json', ...headers },
    ...question,
  })

/** Some providers answer a form where others answer JSON. */
const formTypes = /^(application\/x-www-form-urlencoded|text\/plain)\b/i

const maxValuesOf = ({ maxBytes = defaultMaxBytes }: Question): number =>
  Math.floor(maxBytes / bytesPerValue)

interface AnswerForm {
  contentType: string | undefined
  url: string
  maxValues: number
}

function parse(text: string, { contentType, url, maxValues }: AnswerForm): unknown {
  if (holdsManyValues(text, maxValues) || holdsMoreThan(maxValues, '&', text)) {
    throw new Error(`${originOf(url)} answered more than ${maxValues} values`)
  }
  try {
    return JSON.parse(text)
  } catch {
    if (formTypes.test(contentType ?? '')) return Object.fromEntries(new URLSearchParams(text))
    // The parser's own message quotes the text.
    throw new Error(`${originOf(url)} answered something that is no JSON`)
  }
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? 'the provider'

/** How far a URL is trusted that an issuer's document named: on its own origin, as the issuer itself. */
export const trustedBy = (issuer: string, url: string): UrlTrust =>
  URL.parse(url)?.origin === URL.parse(issuer)?.origin ? 'operator' : 'outside'

import type { JsonReader } from '../../../platform/config/sections/provider-definition.ts'
import { holdsManyValues, holdsMoreThan } from '../../../platform/http/plain-json.ts'
import type { FetchAnswer, FetchOptions } from '../../../platform/kit/safe-fetch.ts'
import type { UrlTrust } from '../../../platform/kit/url-trust.ts'
import {
  errorTypeOf,
  secondsSince,
  type Telemetry,
} from '../../../platform/observability/telemetry.ts'
import { jsonReader } from './json-reader.ts'

/** A request to another server, within the bounds of `platform/kit/safe-fetch.ts`. */
export type Fetch = (url: string, options: FetchOptions) => Promise<FetchAnswer>

/** The dependencies of requests to a provider. */
export interface ProviderAccess {
  fetch: Fetch
  timeoutMs: number
}

interface ProviderRequest {
  /** Default `operator`: the URL is from the configuration. */
  trust?: UrlTrust
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** The maximum size of the response. Default 1 MiB. */
  maxBytes?: number
}

const defaultMaxBytes = 1024 * 1024

/**
 * The bytes of a response per value that it may contain: a value needs more memory than its text.
 */
const bytesPerValue = 64

/**
 * Requests JSON from a provider.
 *
 * @throws Error when the status is not 2xx, or the response is no JSON or contains too many values.
 *   The message does not quote the response, which may contain tokens.
 */
export async function requestJson(
  access: ProviderAccess,
  url: string,
  request: ProviderRequest = {},
): Promise<JsonReader> {
  const { status, headers, text } = await fetchOnce(access, url, request)
  const maxValues = maxValuesOf(request)
  if (status < 200 || status > 299) throw new Error(`${originOf(url)} returned ${status}`)
  return jsonReader(parse(text, { contentType: headers['content-type'], url, maxValues }))
}

/**
 * Requests JSON from a provider, whatever the status of the response.
 *
 * @returns the JSON; null where a status other than 2xx has none.
 * @throws Error when a status of 2xx has none. The message does not quote the response.
 */
export async function requestAnyStatus(
  access: ProviderAccess,
  url: string,
  request: ProviderRequest,
): Promise<{ status: number; answer: JsonReader | null }> {
  const { status, headers, text } = await fetchOnce(access, url, request)
  const maxValues = maxValuesOf(request)
  try {
    const form = { contentType: headers['content-type'], url, maxValues }
    return { status, answer: jsonReader(parse(text, form)) }
  } catch (error) {
    if (status >= 200 && status <= 299) throw error
    return { status, answer: null }
  }
}

/** Sends a request to a provider and returns the response as it is. */
export const fetchOnce = (
  { fetch, timeoutMs }: ProviderAccess,
  url: string,
  { headers, trust = 'operator', maxBytes = defaultMaxBytes, ...request }: ProviderRequest = {},
): Promise<FetchAnswer> =>
  fetch(url, {
    trust,
    timeoutMs,
    maxBytes,
    headers: { accept: 'application/json', ...headers },
    ...request,
  })

/** Some providers respond with a form where others respond with JSON. */
const formTypes = /^(application\/x-www-form-urlencoded|text\/plain)\b/i

const maxValuesOf = ({ maxBytes = defaultMaxBytes }: ProviderRequest): number =>
  Math.floor(maxBytes / bytesPerValue)

interface AnswerForm {
  contentType: string | undefined
  url: string
  maxValues: number
}

function parse(text: string, { contentType, url, maxValues }: AnswerForm): unknown {
  if (holdsManyValues(text, maxValues) || holdsMoreThan(maxValues, '&', text)) {
    throw new Error(`${originOf(url)} returned more than ${maxValues} values`)
  }
  try {
    return JSON.parse(text)
  } catch {
    if (formTypes.test(contentType ?? '')) return Object.fromEntries(new URLSearchParams(text))
    // The parser's own message would quote the text.
    throw new Error(`${originOf(url)} returned a response that is not JSON`)
  }
}

const originOf = (url: string): string => URL.parse(url)?.origin ?? 'the provider'

/** Returns the trust in a URL from an issuer's document: that of the issuer for its own origin. */
export const trustedBy = (issuer: string, url: string): UrlTrust =>
  URL.parse(url)?.origin === URL.parse(issuer)?.origin ? 'operator' : 'outside'

/**
 * Wraps requests to providers in spans. A span contains the origin of the URL only: paths and
 * queries may contain tokens.
 */
export function tracedFetch(fetch: Fetch, telemetry: Telemetry | null): Fetch {
  if (!telemetry) return fetch
  return (url, options) => {
    const attributes = { 'http.request.method': options.method ?? 'GET', ...serverOf(url) }
    const startedAt = performance.now()
    const note = (outcome: Record<string, string | number>) =>
      telemetry.time('http.client.request.duration', secondsSince(startedAt), {
        ...attributes,
        ...outcome,
      })
    const step = { name: attributes['http.request.method'], kind: 'client', attributes } as const
    return telemetry.run(step, async (span) => {
      try {
        const answer = await fetch(url, options)
        const status = { 'http.response.status_code': answer.status }
        span.set(status)
        if (answer.status >= 400) span.fail(String(answer.status))
        note({ ...status, ...(answer.status >= 400 && { 'error.type': String(answer.status) }) })
        return answer
      } catch (error) {
        note({ 'error.type': errorTypeOf(error) })
        throw error
      }
    })
  }
}

function serverOf(given: string) {
  const url = URL.parse(given)
  if (!url) return {}
  const usualPort = url.protocol === 'http:' ? 80 : 443
  return { 'server.address': url.hostname, 'server.port': Number(url.port) || usualPort }
}

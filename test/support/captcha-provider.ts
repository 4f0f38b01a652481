import { safeFetch } from '../../src/platform/kit/safe-fetch.ts'
import type { World } from '../../src/service/world.ts'
import {
  answerJson,
  type Heard,
  type ServerAnswer,
  startWebServer,
  type WebServer,
} from './web-server.ts'

/** The fields of a request to a captcha provider. */
export interface CaptchaRequest {
  secret: string | null
  response: string | null
  remoteip: string | null
}

export interface TestCaptchaProvider extends WebServer {
  /** Replaces requests to the providers' own hosts. */
  fetch: NonNullable<World['fetch']>
  /** The requested URLs, in order. */
  urls: string[]
  requested(): CaptchaRequest[]
}

const html = '<!doctype html><title>Just a moment…</title>'

/** The behaviour for a token, by its prefix; any other token is unknown. */
const quirks: Record<string, ServerAnswer> = {
  slow: () => {},
  unreachable: (response) => void response.socket?.resetAndDestroy(),
  html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html),
  trouble: (response) => response.writeHead(503, { 'content-type': 'text/html' }).end(html),
  moved: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  huge: (response) => {
    const flood = () => {
      while (!response.destroyed && response.write(' '.repeat(16_384)));
      if (!response.destroyed) response.once('drain', flood)
    }
    response.writeHead(200)
    flood()
  },
  empty: (response) => answerJson(response, 200, {}),
  text: (response) => answerJson(response, 200, { success: 'true' }),
  list: (response) => answerJson(response, 200, [{ success: true }]),
  lying: (response) => answerJson(response, 500, { success: true }),
  babbling: (response) =>
    answerJson(response, 200, {
      success: false,
      'error-codes': ['invalid-input-response', '<script>', 7, 'x'.repeat(100)],
    }),
}

/**
 * Starts the server of a captcha provider. Tokens with the prefix `solved` are valid once.
 *
 * @param more further members of the response to a solved captcha.
 */
export async function startCaptchaProvider(
  more: Record<string, unknown> = {},
): Promise<TestCaptchaProvider> {
  const used = new Set<string>()
  const server = await startWebServer((response, heard) => {
    const { response: token } = requestIn(heard)
    const quirk = quirks[token?.replace(/-.*/, '') ?? '']
    if (quirk) quirk(response, heard)
    else if (!token?.startsWith('solved')) {
      answerJson(response, 200, { success: false, 'error-codes': ['invalid-input-response'] })
    } else if (used.has(token)) {
      answerJson(response, 200, { success: false, 'error-codes': ['timeout-or-duplicate'] })
    } else {
      used.add(token)
      answerJson(response, 200, { success: true, ...more })
    }
  })
  const urls: string[] = []
  return {
    ...server,
    urls,
    requested: () => server.heard.map(requestIn),
    fetch: (url, options) => {
      urls.push(url)
      return safeFetch(`${server.url}${new URL(url).pathname}`, options)
    },
  }
}

function requestIn({ method, headers, text }: Heard): CaptchaRequest {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  if (method !== 'POST' || !isForm) throw new Error('it is no form')
  const form = new URLSearchParams(text)
  const [secret, response, remoteip] = ['secret', 'response', 'remoteip'].map((name) =>
    form.get(name),
  ) as [string | null, string | null, string | null]
  return { secret, response, remoteip }
}

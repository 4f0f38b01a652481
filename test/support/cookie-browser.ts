/** The cookies of a browser at one host, as requests send them and responses change them. */
export interface CookieBrowser {
  cookies: Map<string, string>
  /**
   * Creates a request from a page of the application, unless headers override it; null removes a
   * header.
   */
  request(method: string, path: string, options?: BrowserRequest): Request
  /** Stores the cookies of a response, with the rules of browsers for prefixes. */
  take(answer: { headers: Headers }): string[]
}

interface BrowserRequest {
  body?: unknown
  headers?: Record<string, string | null>
}

export const appOrigin = 'https://app.example.test'

/** The headers of browsers for requests that no page of the application has sent. */
export const foreignSenders = [
  ['another origin', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
  ['a subdomain', { origin: 'https://evil.app.example.test', 'sec-fetch-site': 'same-site' }],
  ['a null origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['nobody', { origin: null, 'sec-fetch-site': null }],
] as const

export function openCookieBrowser(cookies = new Map<string, string>()): CookieBrowser {
  return {
    cookies,
    request: (method, path, { body, headers = {} } = {}) => {
      const all = {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null,
        origin: method === 'GET' ? null : appOrigin,
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      }
      const sent = Object.entries(all).filter(([, value]) => value !== null)
      return new Request(appOrigin + path, {
        method,
        headers: sent as [string, string][],
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    },
    take: ({ headers }) => {
      const all = headers.getSetCookie()
      for (const one of all) takeCookie(cookies, one)
      return all
    },
  }
}

function takeCookie(cookies: Map<string, string>, text: string): void {
  const [pair = '', ...attributes] = text.split('; ')
  const name = pair.slice(0, pair.indexOf('='))
  if (Buffer.byteLength(pair) > 4_096) return
  const isHostOnly =
    attributes.includes('Secure') &&
    attributes.includes('Path=/') &&
    attributes.every((attribute) => !attribute.startsWith('Domain'))
  if (name.startsWith('__Host-') && !isHostOnly) return
  if (attributes.includes('Max-Age=0')) cookies.delete(name)
  else cookies.set(name, pair.slice(name.length + 1))
}

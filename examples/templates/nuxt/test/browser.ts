import { createHmac } from 'node:crypto'

/** A browser without scripts: it keeps cookies and follows redirects. */
export class Browser {
  url: URL
  status = 0
  /** The HTML of the page. */
  text = ''
  #accessToken = ''
  readonly #cookies = new Map<string, string>()

  constructor(origin: string) {
    this.url = new URL(origin)
  }

  /** Opens a path or link. A redirect to another site is not followed. */
  async open(path: string): Promise<void> {
    const { origin } = this.url
    this.url = new URL(path, this.url)
    for (let hops = 0; hops < 10 && this.url.origin === origin; hops++) {
      const response = await this.#fetch(this.url)
      this.status = response.status
      this.text = await response.text()
      const location = response.headers.get('location')
      if (location === null) return
      this.url = new URL(location, this.url)
    }
  }

  /** Sends a request of the pages' client, with its access token; the session is in cookies. */
  // biome-ignore lint/suspicious/noExplicitAny: the response of any endpoint
  async send(path: string, body: object, method = 'POST'): Promise<any> {
    const headers = {
      'content-type': 'application/json',
      'x-use-cookie': '1',
      ...(this.#accessToken && { authorization: `Bearer ${this.#accessToken}` }),
    }
    const response = await this.#fetch(new URL(path, this.url), {
      method,
      headers,
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const result = text === '' ? {} : JSON.parse(text)
    if (path.startsWith('/auth/logout')) this.#accessToken = ''
    if (result.access_token) this.#accessToken = result.access_token
    return result
  }

  /** Sends a request with the cookies, and stores new ones. */
  async #fetch(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html', ...init.headers, origin: url.origin, cookie }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';')
    const [name = '', ...value] = pair.split('=')
    const isExpired = attributes.some((one) => /^\s*max-age=(0|-\d+)$/i.test(one))
    if (isExpired) this.#cookies.delete(name)
    else this.#cookies.set(name, value.join('='))
  }
}

/** Returns the code that an authenticator app shows. Each is valid once. */
export function authenticatorCode(secret: string, time = Date.now()): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret].map((one) => letters.indexOf(one).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const number = digest.readUInt32BE(digest.readUInt8(19) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

import { createHmac } from 'node:crypto'

/** A browser without scripts: it keeps cookies, follows redirects and submits forms. */
export class Browser {
  url: URL
  status = 0
  /** The HTML of the page. */
  text = ''
  readonly #cookies = new Map<string, string>()

  constructor(origin: string) {
    this.url = new URL(origin)
  }

  /** Opens a path or link. A redirect to another site is not followed. */
  async open(path: string, init: RequestInit = {}): Promise<void> {
    const { origin } = this.url
    let request = init
    this.url = new URL(path, this.url)
    for (let hops = 0; hops < 10 && this.url.origin === origin; hops++) {
      const response = await this.#fetch(this.url, request)
      this.status = response.status
      this.text = await response.text()
      const location = response.headers.get('location')
      if (location === null) return
      this.url = new URL(location, this.url)
      request = {}
    }
  }

  /** Fills in the form with this button, and submits it. */
  async submit(button: string, fields: Record<string, string> = {}): Promise<void> {
    const forms = this.text.match(/<form.*?<\/form>/gs) ?? []
    const form = forms.find((one) => new RegExp(`>\\s*${button}\\s*</button>`).test(one))
    if (!form) throw new Error(`no button "${button}" at ${this.url}:\n${this.text}`)
    const [tag = ''] = /<form[^>]*>/.exec(form) ?? []
    const body = /multipart/i.test(tag) ? new FormData() : new URLSearchParams()
    for (const [input] of form.matchAll(/<input[^>]*>/g))
      body.set(attribute(input, 'name'), attribute(input, 'value'))
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    await this.open(attribute(tag, 'action') || this.url.href, { method: 'POST', body })
  }

  /** Sends a request with the cookies, and stores new ones. */
  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html', origin: url.origin, cookie }
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

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag) ?? []
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
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

import { hash } from 'node:crypto'
import { safeFetch } from '../../src/platform/kit/safe-fetch.ts'
import type { World } from '../../src/service/runtime.ts'
import { type Answer, startWebServer, type WebServer } from './web-server.ts'

export interface RangeServer extends WebServer {
  /** In place of the way to the service itself. */
  fetch: NonNullable<World['fetch']>
  /** How it answers from now on; as it should where undefined. */
  behave(answer?: Answer): void
}

export const sha1 = (text: string): string => hash('sha1', text).toUpperCase()

/** A server of known passwords: each of these was seen as often as it says, 0 times where it pads an answer. */
export async function startRangeServer(known: Record<string, number>): Promise<RangeServer> {
  let quirk: Answer | undefined
  const server = await startWebServer((response, heard) => {
    if (quirk) return quirk(response, heard)
    const [, prefix = ''] = /^\/range\/([0-9A-F]{5})$/.exec(heard.path) ?? []
    if (prefix === '')
      return response.writeHead(400).end('The hash prefix was not in a valid format')
    const here = Object.entries(known).filter(([password]) => sha1(password).startsWith(prefix))
    const others = Array.from(
      { length: 800 },
      (_, at) => `${sha1(`${prefix}${at}`).slice(5)}:${at % 9}`,
    )
    const lines = [
      ...here.map(([password, times]) => `${sha1(password).slice(5)}:${times}`),
      ...others,
    ]
    response.writeHead(200, { 'content-type': 'text/plain' }).end(lines.sort().join('\r\n'))
  })
  return {
    ...server,
    behave: (answer) => {
      quirk = answer
    },
    fetch: (url, options) => {
      const { host, pathname } = new URL(url)
      if (host !== 'api.pwnedpasswords.com') throw new Error(`asked elsewhere: ${host}`)
      return safeFetch(`${server.url}${pathname}`, { ...options, timeoutMs: 500 })
    },
  }
}

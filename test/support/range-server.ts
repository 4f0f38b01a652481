import { hash } from 'node:crypto'
import { safeFetch } from '../../src/platform/kit/safe-fetch.ts'
import type { World } from '../../src/service/world.ts'
import { type ServerAnswer, startWebServer, type WebServer } from './web-server.ts'

export interface RangeServer extends WebServer {
  /** Replaces requests to the service itself. */
  fetch: NonNullable<World['fetch']>
  /** Sets the behaviour from now on; undefined for the normal one. */
  behave(answer?: ServerAnswer): void
}

export const sha1 = (text: string): string => hash('sha1', text).toUpperCase()

/** Starts a server of breached passwords, each with its count; padding has a count of 0. */
export async function startRangeServer(known: Record<string, number>): Promise<RangeServer> {
  let quirk: ServerAnswer | undefined
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
      if (host !== 'api.pwnedpasswords.com') throw new Error(`request to another host: ${host}`)
      return safeFetch(`${server.url}${pathname}`, { ...options, timeoutMs: 500 })
    },
  }
}

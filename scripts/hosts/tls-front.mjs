import { once } from 'node:events'
import { request as ask } from 'node:http'
import { createServer } from 'node:https'
import { certificateOf } from './certificate.mjs'

/**
 * A proxy that terminates TLS in front of a host, as in production: browsers store `__Host-`
 * cookies over TLS only.
 *
 * @typedef {object} TlsFront
 * @property {string} url such as `https://localhost:34567`, known before the host is started
 * @property {(url: string) => void} leadTo sets the URL of the host
 * @property {() => void} close
 */

/** @returns {Promise<TlsFront>} */
export async function startTlsFront() {
  let host = ''
  const server = createServer(certificateOf(), (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const forwarded = { ...headers, 'x-forwarded-proto': 'https' }
    const requested = ask(host + url, { method, headers: forwarded }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    })
    requested.on('error', () => response.destroy())
    request.pipe(requested)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `https://localhost:${port}`,
    leadTo: (url) => {
      host = url
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

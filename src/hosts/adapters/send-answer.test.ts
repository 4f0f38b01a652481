import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { Answer } from '../../platform/http/answer.ts'
import { sendAnswer } from './send-answer.ts'

const mebibyte = 1_048_576

/** A server that responds with this body, and its responses. */
async function serveBody(body: string | Uint8Array) {
  const responses: ServerResponse[] = []
  const server = createServer((_, response) => {
    responses.push(response)
    void sendAnswer(response, new Answer(200, {}, body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, port, responses, close }
}

it.each([
  ['bytes', Buffer.alloc(8 * mebibyte, 'x')],
  ['text', 'é'.repeat(4 * mebibyte)],
])('S31: sends %s at the pace of its reader', async (_, body) => {
  const server = await serveBody(body)
  const slow = connect({ port: server.port, host: '127.0.0.1' })
  slow.pause()
  slow.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')

  await waitFor(() => expect(server.responses[0]?.writableNeedDrain).toBe(true))
  const held = server.responses[0]?.writableLength
  const whole = await (await fetch(server.url)).arrayBuffer()
  slow.destroy()
  await waitFor(() => expect(server.responses[0]?.destroyed).toBe(true))
  server.close()

  expect(held).toBeLessThanOrEqual(2 * 65_536)
  expect(Buffer.from(whole).equals(Buffer.from(body))).toBe(true)
})

it('does not wait for a client that has disconnected before', async () => {
  const { promise: sent, resolve, reject } = Promise.withResolvers<void>()
  const server = createServer(async (_, response) => {
    await once(response, 'close')
    sendAnswer(response, new Answer(200, {}, 'text')).then(resolve, reject)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const requested = once(server, 'request')
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await requested
  client.destroy()
  await sent

  server.close()
})

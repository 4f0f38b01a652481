import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openConnection } from '../../test/support/raw-http.ts'
import { keepTrack } from './connections.ts'

const answer: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('answered'))
}

let close = async () => {}
const opened: Socket[] = []
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await close()
})

/** A server that takes so many connections. */
async function started(max: number, listener: RequestListener = answer): Promise<number> {
  const server = createServer(listener)
  keepTrack(server, max)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return (server.address() as AddressInfo).port
}

/** A connection on which something was said, and what came back. */
async function say(port: number, text: string) {
  const socket = await openConnection(port)
  opened.push(socket)
  const heard = { socket, text: '', isOver: false }
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    heard.text += chunk
  })
  socket
    .on('end', () => socket.end())
    .on('close', () => {
      heard.isOver = true
    })
  socket.write(text)
  return heard
}

const whole = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'
const halfHead = 'GET / HTTP/1.1\r\nhost:'
const halfBody = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc'

describe('H20: a server at its ceiling of connections', () => {
  it.each([
    ['nothing', ''],
    ['half of their headers', halfHead],
    ['half of their body', halfBody],
  ])('answers whoever comes beside many that sent %s', async (_, text) => {
    const port = await started(8)
    const flood: Awaited<ReturnType<typeof say>>[] = []
    for (let index = 0; index < 30; index += 1) flood.push(await say(port, text))

    const honest = await say(port, whole)

    await vi.waitFor(() => expect(honest.text).toMatch(/answered$/))
    await vi.waitFor(() => expect(flood.filter(({ isOver }) => !isOver).length).toBeLessThan(9))
    expect(flood.slice(0, 20).every(({ isOver }) => isOver)).toBe(true)
  })

  it('keeps those that were of use before those that never were', async () => {
    const port = await started(8)
    const honest = await say(port, whole)
    await vi.waitFor(() => expect(honest.text).toContain('answered'))
    for (let index = 0; index < 30; index += 1) await say(port, halfHead)

    honest.text = ''
    honest.socket.write(whole)

    await vi.waitFor(() => expect(honest.text).toContain('answered'))
  })

  it('interrupts no answer that is under way', async () => {
    const endings: (() => void)[] = []
    const port = await started(3, (_request, response) => {
      endings.push(() => response.end('answered'))
    })
    const asking = [await say(port, whole), await say(port, whole), await say(port, whole)]
    await vi.waitFor(() => expect(endings).toHaveLength(3))

    const late = await say(port, whole)
    await vi.waitFor(() => expect(late.isOver).toBe(true))
    for (const end of endings) end()

    for (const one of asking) await vi.waitFor(() => expect(one.text).toContain('answered'))
  })
})

it('has no ceiling where that is 0', async () => {
  const port = await started(0)
  const many: Awaited<ReturnType<typeof say>>[] = []
  for (let index = 0; index < 50; index += 1) many.push(await say(port, halfHead))

  const honest = await say(port, whole)

  await vi.waitFor(() => expect(honest.text).toContain('answered'))
  expect(many.some(({ isOver }) => isOver)).toBe(false)
})

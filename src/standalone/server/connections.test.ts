import { EventEmitter, once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openConnection } from '../../../test/support/raw-http.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { type ConnectionCeiling, clientOfPeer, trackConnections } from './connections.ts'
import { afterBodyReceived, inOrder } from './request-order.ts'

const answer: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('answered'))
}

let close = async () => {}
const opened: Socket[] = []
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  await close()
})

/** Starts a server with this connection limit. By default clients cannot be distinguished. */
async function started(
  max: number,
  listener: RequestListener = answer,
  clientOf: ConnectionCeiling['clientOf'] = () => null,
  onParsed: () => void = () => {},
): Promise<number> {
  const server = createServer()
  server.on('request', onParsed)
  const connections = trackConnections(server, { max, clientOf })
  const handle = async (...[request, response]: Parameters<RequestListener>) => {
    listener(request, response)
    if (!response.closed) await once(response, 'close')
  }
  server.on('request', inOrder(afterBodyReceived(handle, connections)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return (server.address() as AddressInfo).port
}

/** Opens a connection, sends a text, and collects the response. */
async function send(port: number, text: string) {
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

describe('H20: a server at its connection limit', () => {
  it.each([
    ['nothing', ''],
    ['half of their headers', halfHead],
    ['half of their body', halfBody],
  ])('accepts a new connection beside many that sent %s', async (_, text) => {
    const port = await started(8)
    const flood: Awaited<ReturnType<typeof send>>[] = []
    for (let index = 0; index < 30; index += 1) flood.push(await send(port, text))

    const honest = await send(port, whole)

    await waitFor(() => expect(honest.text).toMatch(/answered$/))
    await waitFor(() => expect(flood.filter(({ isOver }) => !isOver).length).toBeLessThan(9))
    expect(flood.slice(0, 20).every(({ isOver }) => isOver)).toBe(true)
  })

  it('keeps connections with a past request longer than those without one', async () => {
    const port = await started(8)
    const honest = await send(port, whole)
    await waitFor(() => expect(honest.text).toContain('answered'))
    for (let index = 0; index < 30; index += 1) await send(port, halfHead)

    honest.text = ''
    honest.socket.write(whole)

    await waitFor(() => expect(honest.text).toContain('answered'))
  })

  it('does not interrupt a running response', async () => {
    const endings: (() => void)[] = []
    const port = await started(3, (_request, response) => {
      endings.push(() => response.end('answered'))
    })
    const open = [await send(port, whole), await send(port, whole), await send(port, whole)]
    await waitFor(() => expect(endings).toHaveLength(3))

    const late = await send(port, whole)
    await waitFor(() => expect(late.isOver).toBe(true))
    for (const end of endings) end()

    for (const one of open) await waitFor(() => expect(one.text).toContain('answered'))
  })
})

describe('S14: requests that are sent before the last response is complete', () => {
  it('are handled, up to 16', async () => {
    const port = await started(8)
    const client = await send(port, whole.repeat(16))

    await waitFor(() => expect(client.text.match(/answered/g)).toHaveLength(16))
  })

  it('end their connection beyond that, and are not handled', async () => {
    let handled = 0
    const port = await started(0, (_request, response) => {
      handled += 1
      setTimeout(() => response.end('answered'), 50)
    })
    const flood = await send(port, whole.repeat(20_000))

    await waitFor(() => expect(flood.isOver).toBe(true))
    expect(handled).toBe(1)
  })
})

describe('S32: requests that are sent before the last response is complete', () => {
  /**
   * Starts a server that responds when the test ends a response, and records parsed and handled
   * requests.
   */
  async function startedByHand() {
    const seen = { parsed: 0, handled: 0 }
    const endings: (() => void)[] = []
    const listener: RequestListener = (request, response) => {
      seen.handled += 1
      request.resume()
      endings.push(() => response.end('answered'))
    }
    const port = await started(
      8,
      listener,
      () => null,
      () => {
        seen.parsed += 1
      },
    )
    return { port, seen, answerNext: () => endings.shift()?.() }
  }

  it('are handled one after another', async () => {
    const { port, seen, answerNext } = await startedByHand()
    const client = await send(port, whole.repeat(3))

    for (const handled of [1, 2, 3]) {
      await waitFor(() => expect(seen).toEqual({ parsed: 3, handled }))
      answerNext()
      await waitFor(() => expect(client.text.match(/answered/g)).toHaveLength(handled))
    }
  })

  it('are not handled once their connection has ended', async () => {
    const { port, seen, answerNext } = await startedByHand()
    const client = await send(port, whole.repeat(16))
    await waitFor(() => expect(seen.parsed).toBe(16))

    client.socket.destroy()
    await waitFor(() => expect(client.isOver).toBe(true))
    answerNext()
    const other = await send(port, whole)
    await waitFor(() => expect(seen.parsed).toBe(17))
    answerNext()
    await waitFor(() => expect(other.text).toMatch(/answered$/))

    expect(seen.handled).toBe(2)
  })

  it.each([
    ['plain', whole],
    ['with a body', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\na'],
  ])('are not even parsed beyond the one that closes their connection, %s', async (_, request) => {
    const { port, seen } = await startedByHand()

    const flood = await send(port, request.repeat(20_000))
    await waitFor(() => expect(flood.isOver).toBe(true))
    const other = await send(port, whole)
    await waitFor(() => expect(seen.parsed).toBe(18))

    expect(other.isOver).toBe(false)
    expect(seen.handled).toBe(2)
  })

  it('close their connection also where Node has no parser that could be stopped', () => {
    const server = new EventEmitter()
    const socket = Object.assign(new EventEmitter(), {
      destroyed: false,
      destroy: () => Object.assign(socket, { destroyed: true }),
    })
    trackConnections(server as Server, { max: 0, clientOf: () => null })
    server.emit('connection', socket)

    for (let index = 0; index < 17; index += 1) {
      expect(socket.destroyed).toBe(false)
      server.emit('request', { socket, headers: {} }, new EventEmitter())
    }

    expect(socket.destroyed).toBe(true)
  })

  it('all get a response if the client reads late', async () => {
    const bytes = 4_000_000
    const port = await started(8, (_request, response) => response.end('x'.repeat(bytes)))
    const socket = await openConnection(port)
    opened.push(socket)
    const requests = `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(600)}\r\n\r\n`.repeat(8)
    socket.pause().write(requests)
    await sleep(200)
    socket.write(requests)
    await sleep(200)

    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    socket.resume()
    await waitFor(() => expect(received).toBeGreaterThan(16 * bytes))
  })
})

describe('H20: one client', () => {
  /** Assigns clients to connections in the order in which these are accepted. */
  const takenInOrder = (clients: string[]) => () => clients.shift() ?? null

  it.each([
    ['nothing', ''],
    ['half of their headers', halfHead],
    ['half of their body', halfBody],
  ])(
    'closes connections of its own for those it opens beyond its half, having sent %s',
    async (_, text) => {
      const clients = [...Array(3).fill('slow'), ...Array(30).fill('flood'), 'flood']
      const port = await started(8, answer, takenInOrder(clients))
      const slow = [
        await send(port, halfBody),
        await send(port, halfBody),
        await send(port, halfHead),
      ]
      const flood: Awaited<ReturnType<typeof send>>[] = []
      for (let index = 0; index < 30; index += 1) flood.push(await send(port, text))

      const honest = await send(port, whole)
      await waitFor(() => expect(honest.text).toMatch(/answered$/))
      await waitFor(() => expect(flood.filter(({ isOver }) => !isOver).length).toBeLessThan(5))
      for (const { socket } of slow.slice(0, 2)) socket.write('defghi')

      for (const one of slow.slice(0, 2)) {
        await waitFor(() => expect(one.text).toMatch(/answered$/))
      }
      expect(slow[2]?.isOver).toBe(false)
    },
  )

  it('S16: leaves places to other clients, from however many networks of one /48 it opens connections', async () => {
    const flooding = Array.from({ length: 30 }, (_, index) => `2001:db8:bad:${index}::/64`)
    const port = await started(8, answer, takenInOrder(['198.51.100.9', '192.0.2.9', ...flooding]))
    const slow = [await send(port, halfBody), await send(port, halfBody)]
    const flood: Awaited<ReturnType<typeof send>>[] = []
    for (const _ of flooding) flood.push(await send(port, halfHead))

    await waitFor(() => expect(flood.filter(({ isOver }) => !isOver)).toHaveLength(5))
    for (const { socket } of slow) socket.write('defghi')

    for (const one of slow) await waitFor(() => expect(one.text).toMatch(/answered$/))
  })

  it('is rejected beyond its half while each of its connections has a running response; others are not', async () => {
    const endings: (() => void)[] = []
    const clients = ['busy', 'busy', 'busy', 'other', 'other']
    const listener: RequestListener = (_request, response) => {
      endings.push(() => response.end('answered'))
    }
    const port = await started(4, listener, takenInOrder(clients))
    const busy = [await send(port, whole), await send(port, whole)]
    await waitFor(() => expect(endings).toHaveLength(2))

    const refused = await send(port, whole)
    await waitFor(() => expect(refused.isOver).toBe(true))
    const others = [await send(port, whole), await send(port, whole)]
    await waitFor(() => expect(endings).toHaveLength(4))
    for (const end of endings) end()

    for (const one of [...busy, ...others]) {
      await waitFor(() => expect(one.text).toContain('answered'))
    }
  })

  it('S33: has no request read from connections beyond its limit', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0)
    let parsed = 0
    const clients = [...Array(150).fill('flood'), 'other']
    const port = await started(8, answer, takenInOrder(clients), () => {
      parsed += 1
    })
    for (let index = 0; index < 150; index += 1) {
      const { socket } = await send(port, whole)
      socket.destroy()
    }
    const other = await send(port, whole)

    await waitFor(() => expect(other.text).toMatch(/answered$/))
    vi.restoreAllMocks()
    expect(parsed).toBeLessThan(102)
  })

  it('gets its places back when its connections are closed', async () => {
    const port = await started(4, answer, () => 'one')
    for (let round = 0; round < 5; round += 1) {
      const pair = [await send(port, whole), await send(port, whole)]
      for (const one of pair) await waitFor(() => expect(one.text).toContain('answered'))
      expect(pair.some(({ isOver }) => isOver)).toBe(false)
      for (const { socket } of pair) socket.destroy()
      await waitFor(() => expect(pair.every(({ isOver }) => isOver)).toBe(true))
    }
  })

  it.each([
    ['203.0.113.7', false, '203.0.113.7'],
    ['::ffff:203.0.113.7', false, '203.0.113.7'],
    ['2a00:1450:4001:829::200e', false, '2a00:1450:4001:829::/64'],
    ['203.0.113.7', true, null],
    ['10.0.0.1', false, null],
    ['::1', false, null],
    [undefined, false, null],
  ])(
    'is identified by its peer %s (behind a proxy: %s) as %s',
    (remoteAddress, isBehindProxy, client) => {
      expect(clientOfPeer({ remoteAddress } as Socket, isBehindProxy)).toBe(client)
    },
  )
})

describe('H20: while places are scarce', () => {
  const crowd = async (port: number) => {
    for (let index = 0; index < 6; index += 1) await send(port, '')
  }

  it('a request is handled after its body is received, and never if the body is incomplete', async () => {
    const bodies: string[] = []
    const port = await started(8, (request, response) => {
      bodies.push('begun')
      request.resume().on('end', () => response.end('answered'))
    })
    await crowd(port)

    const thrownOut = await send(port, halfBody)
    thrownOut.socket.destroy()
    const slow = await send(port, halfBody)
    const large = await send(
      port,
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 300000\r\n\r\n${'x'.repeat(300_000)}`,
    )
    await waitFor(() => expect(large.text).toMatch(/answered$/))
    slow.socket.write('defghi')
    await waitFor(() => expect(slow.text).toMatch(/answered$/))

    expect(bodies).toEqual(['begun', 'begun'])
  })

  it('it is handled without its complete body after a delay, so that it gets a response in time', async () => {
    const port = await started(8, (_request, response) => response.end('too slow'))
    await crowd(port)

    const slow = await send(port, halfBody)

    await vi.waitFor(() => expect(slow.text).toMatch(/too slow$/), { timeout: 5_000 })
  })
})

it('has no limit if the setting is 0', async () => {
  const port = await started(0)
  const many: Awaited<ReturnType<typeof send>>[] = []
  for (let index = 0; index < 50; index += 1) many.push(await send(port, halfHead))

  const honest = await send(port, whole)

  await waitFor(() => expect(honest.text).toContain('answered'))
  expect(many.some(({ isOver }) => isOver)).toBe(false)
})

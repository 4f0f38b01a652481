import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type KeptAliveFetch, openKeptAliveFetch } from './safe-fetch.ts'

let url: string
let close: () => void
let connections: number
let kept: KeptAliveFetch
let dropsNext = false

beforeEach(async () => {
  connections = 0
  dropsNext = false
  const server = createServer((request, response) => {
    if (dropsNext) {
      dropsNext = false
      request.socket.resetAndDestroy()
    } else response.end('ok')
  }).on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  close = () => server.close()
  kept = openKeptAliveFetch(16)
})
afterEach(() => {
  kept.close()
  close()
})

const operator = { trust: 'operator' } as const

describe('S19: openKeptAliveFetch', () => {
  it('keeps a connection to a host of the configuration for the next request', async () => {
    for (let count = 0; count < 3; count += 1) {
      expect(await kept.fetch(url, operator)).toMatchObject({ status: 200, text: 'ok' })
    }

    expect(connections).toBe(1)
  })

  it('repeats a GET whose kept connection the server has just closed, and no other method', async () => {
    await kept.fetch(url, operator)
    dropsNext = true
    expect(await kept.fetch(url, operator)).toMatchObject({ text: 'ok' })

    await kept.fetch(url, operator)
    dropsNext = true
    const posted = kept.fetch(url, { ...operator, method: 'POST', body: 'grant' })
    await expect(posted).rejects.toMatchObject({ reason: 'unreachable' })
  })

  it('opens a separate connection if the caller resolves names', async () => {
    await kept.fetch(url, operator)
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    await kept.fetch(url.replace('127.0.0.1', 'provider.test'), { ...operator, resolve })
    await kept.fetch(url.replace('127.0.0.1', 'provider.test'), { ...operator, resolve })

    expect(connections).toBe(3)
  })
})

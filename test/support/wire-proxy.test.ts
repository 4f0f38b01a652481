import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { readMessages, type WireMessage } from './wire-messages.ts'
import { startWireProxy, type WireProxy } from './wire-proxy.ts'

let proxy: WireProxy
let client: pg.Client

const connect = async (options: pg.ClientConfig = {}): Promise<pg.Client> => {
  const connection = new pg.Client({ connectionString: proxy.url, ...options })
  connection.on('error', () => {})
  await connection.connect()
  return connection
}

beforeEach(async () => {
  proxy = await startWireProxy(inject('databaseUrl'))
  client = await connect()
})

afterEach(() => proxy.close())

describe('the wire proxy', () => {
  it('counts each statement and each trip, but not the start of a connection', async () => {
    expect(proxy.counts()).toEqual({ statements: 0, trips: 0 })

    await client.query('select 1')
    await client.query({ text: 'select $1::int', values: [1] })
    await client.query('select 1; select 2')

    expect(proxy.counts()).toEqual({ statements: 4, trips: 3 })
  })

  it('counts what opens and closes a transaction', async () => {
    for (const text of ['begin', 'select 1', 'commit']) await client.query(text)

    expect(proxy.counts()).toEqual({ statements: 3, trips: 3 })
  })

  it('counts a failed statement as a trip only', async () => {
    await expect(client.query('select 1/0')).rejects.toThrow('division by zero')
    // `pg` reports an error when it reads it, which may be before the trip has ended.
    await client.query('select 1')

    expect(proxy.counts()).toEqual({ statements: 1, trips: 2 })
  })

  it('starts again from zero', async () => {
    await client.query('select 1')
    proxy.reset()

    expect(proxy.counts()).toEqual({ statements: 0, trips: 0 })
    expect(proxy.statements()).toEqual([])
  })

  it('reports executed statements, with the names under which they were prepared', async () => {
    const named = { name: 'one', text: 'select $1::int', values: [1] }
    await client.query('begin')
    await client.query(named)
    await client.query(named)
    await client.query({ text: 'select $1::text', values: ['é'] })

    expect(proxy.statements()).toEqual([
      { name: null, text: 'begin' },
      { name: 'one', text: 'select $1::int' },
      { name: 'one', text: 'select $1::int' },
      { name: null, text: 'select $1::text' },
    ])
  })

  it('reads messages larger than any chunk, in both directions', async () => {
    const large = 'x'.repeat(8 * 1024 * 1024)

    const { rows } = await client.query({ text: 'select $1::text as echo', values: [large] })
    await client.query('select 1')

    expect(rows[0].echo).toHaveLength(large.length)
    expect(proxy.counts()).toEqual({ statements: 2, trips: 2 })
    expect(proxy.statements().map(({ text }) => text)).toEqual([
      'select $1::text as echo',
      'select 1',
    ])
  })

  it('rejects an encryption request as a server without TLS does', async () => {
    await expect(connect({ ssl: true })).rejects.toThrow('does not support SSL')
  })

  it('breaks every connection, and accepts new ones', async () => {
    const sleeping = client.query('select pg_sleep(10)')
    proxy.cut()

    await expect(sleeping).rejects.toThrow()
    await (await connect()).query('select 1')
  })

  it('freezes existing connections without breaking them, and accepts new ones', async () => {
    await client.query('select 1')
    proxy.freeze()
    const held = client.query('select 1').then(() => 'answered')

    await (await connect()).query('select 1')

    const others = (async () => 'held')()
    expect(await Promise.race([held, others])).toBe('held')
  })

  it('ignores new connections until they are allowed', async () => {
    proxy.ignore()
    await expect(connect({ connectionTimeoutMillis: 50 })).rejects.toThrow('timeout')
    await client.query('select 1')

    proxy.allow()
    await (await connect()).query('select 1')
  })

  it('rejects new connections until they are allowed, and keeps the others', async () => {
    proxy.refuse()
    await expect(connect()).rejects.toThrow()
    await client.query('select 1')

    proxy.allow()
    await (await connect()).query('select 1')
  })
})

describe('reading messages', () => {
  const message = (type: string, body: string): Buffer => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(4 + body.length)
    return Buffer.concat([Buffer.from(type), length, Buffer.from(body)])
  }
  const stream = Buffer.concat([message('C', 'BEGIN\0'), message('1', ''), message('Z', 'I')])

  it.each([1, 2, 3, 5, 7, stream.length])('returns the same in chunks of %i bytes', (size) => {
    const messages: WireMessage[] = []
    const read = readMessages((each) => messages.push(each))
    for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size))

    expect(messages.map(({ type, body }) => [type, body.toString()])).toEqual([
      ['C', 'BEGIN\0'],
      ['1', ''],
      ['Z', 'I'],
    ])
  })
})

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../test/support/raw-http.ts'
import { type ServedCommand, serve } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { toNode } from '../../hosts/adapters/node.ts'
import type { AuthConfig } from '../config/config.ts'

/** Resolves when a connection has ended; a client that still writes may get a reset. */
const lost = (socket: Socket) =>
  new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve()))

let auth: TestAuth
let served: ServedCommand | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
  await auth.close()
})

const started = async (requestTimeoutSeconds: number, config: AuthConfig = {}) => {
  auth = await startTestAuth({ ...config, server: { requestTimeoutSeconds } })
  await auth.auth.ready()
}

/** The beginning of a sign-up with an incomplete body. */
const unfinished = (method: string, path: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: auth.test\r\ncontent-length: 6000\r\n\r\n{"email":`

/** A short time that is sufficient for unblocked requests on a busy machine. */
const briefSeconds = 1.5

const message = 'Processing this request timed out, please retry after a moment.'

describe('H20: a request that exceeds its time limit', () => {
  it('gets a 504 while the database still works on it', async () => {
    await started(briefSeconds)
    const { user, accessToken } = await auth.given.session()
    const blocker = new pg.Client({ connectionString: auth.databaseUrl })
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('select from auth.users where id = $1 for update', [user.id])

    const late = await auth.put('/user', { data: { n: 1 } }, { token: accessToken })
    const ofToday = await auth.put(
      '/user',
      { data: { n: 1 } },
      { token: accessToken, headers: { 'x-supabase-api-version': '2024-01-01' } },
    )
    await blocker.end()

    expect(late.status).toBe(504)
    expect(late.headers.get('retry-after')).toBe('1')
    expect(late.body).toMatchObject({ code: 504, error_code: 'request_timeout', msg: message })
    expect(late.headers.get('access-control-allow-origin')).toBe('*')
    expect(ofToday.body).toMatchObject({ code: 'request_timeout', message })
    const [line] = auth.log.filter(({ fields }) => fields['errorCode'] === 'request_timeout')
    expect(line?.fields).toMatchObject({ status: 504, route: '/user' })
    expect(late.headers.get('x-request-id')).toBe(line?.fields['requestId'])
  })

  it('gets a 504 if its body is incomplete', async () => {
    await started(briefSeconds)
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"email":')),
    })

    const answer = await auth.auth.fetch(
      new Request('http://auth.test/signup', { method: 'POST', body, duplex: 'half' } as object),
    )

    expect(answer.status).toBe(504)
  })

  it('gets a 504 under node:http, and its connection is closed soon', async () => {
    await started(briefSeconds)
    served = await serve(toNode(auth.auth))
    const socket = await openConnection(served.port)
    const closed = lost(socket)
    socket.write(unfinished('POST', '/signup'))
    const dripping = setInterval(() => socket.write(' '), 100)

    const [answer] = await once(socket.setEncoding('utf8'), 'data')
    socket.on('end', () => socket.end())
    await closed
    clearInterval(dripping)

    expect(String(answer)).toMatch(/^HTTP\/1\.1 504 /)
  })

  it('has no time limit if the setting is 0', async () => {
    await started(0)
    served = await serve(toNode(auth.auth))
    const socket = await openConnection(served.port)
    const body = JSON.stringify({ email: 'slow@example.test', password: 'correct horse' })
    socket.write(
      `POST /signup HTTP/1.1\r\nhost: auth.test\r\ncontent-length: ${body.length}\r\n\r\n{`,
    )
    await sleep(600)
    socket.write(body.slice(1))

    const [answer] = await once(socket.setEncoding('utf8'), 'data')

    socket.destroy()
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a request whose hook responds after its time limit', () => {
  const held = Promise.withResolvers<void>()

  it('stores nothing afterwards, and consumes no refresh token', async () => {
    let isHeld = false
    const hook = () => (isHeld ? held.promise : undefined)
    await started(briefSeconds, {
      hooks: {
        beforeUserCreated: hook,
        customAccessToken: async ({ claims }) => {
          await hook()
          return { claims }
        },
      },
    })
    const { refreshToken } = await auth.given.session('ada@example.test')
    const renew = () =>
      auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })
    isHeld = true

    const late = await Promise.all([
      auth.post('/signup', { email: 'late@example.test', password: 'correct horse' }),
      renew(),
    ])
    held.resolve()
    await sleep(200)
    auth.clock.advance(60)
    const renewed = await renew()

    expect(late.map(({ status }) => status)).toEqual([504, 504])
    expect(await auth.rows('select email from auth.users')).toEqual([{ email: 'ada@example.test' }])
    expect(renewed.status).toBe(200)
  })
})

it('H20: the body of a rejected request is not received for long', async () => {
  await started(10)
  served = await serve(toNode(auth.auth))
  const socket = await openConnection(served.port)
  const closed = lost(socket)
  socket.write(unfinished('PUT', '/user'))
  const dripping = setInterval(() => socket.write(' '), 100)

  const [answer] = await once(socket.setEncoding('utf8'), 'data')
  socket.on('end', () => socket.end())
  await closed
  clearInterval(dripping)

  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /)
})

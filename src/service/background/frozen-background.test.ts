import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

/** The delay of a response: longer than its work takes on a busy machine. */
const delayMs = 3_000
const shortDelayMs = 400
/** Longer than any slow response without a delay. */
const longDelayMs = 2_000
const day = 24 * 60 * 60

let auth: TestAuth
afterEach(async () => {
  vi.useRealTimers()
  await auth.close()
})

/** A service in a process that does nothing by itself; its mails take as long as `send`. */
async function frozen(
  send: () => Promise<void>,
  background: AuthConfig['background'] = {},
): Promise<void> {
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    hooks: { sendEmail: send, sendSms: send },
    background: { frozenBetweenRequests: true, answerDelaySeconds: delayMs / 1000, ...background },
  })
  await auth.auth.ready()
}

const signUp = (email: string) => auth.post('/signup', { email, password: 'correct horse' })
const waiting = () =>
  auth.rows<{ status: string }>("select status from auth.outbox_messages where status <> 'sent'")

const auditEntries = async () => (await auth.rows('select 1 from auth.audit_entries')).length
const expire = () =>
  auth.rows("update auth.decisions set expires_at = now() - interval '2 years' returning id")
const decisions = async () => (await auth.rows('select 1 from auth.decisions')).length

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const begunAt = performance.now()
  const result = await work()
  return { result, ms: performance.now() - begunAt }
}

/** An object that `await` treats as a promise. */
const thenable = (get: () => unknown) => Object.defineProperty({}, 'then', { get })

/** The id of the key that signed a token. */
const keyOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

it('ready calls no waitUntil, which a host provides within requests only', async () => {
  const waitUntil = vi.fn()
  await frozen(async () => {}, { waitUntil })
  await auth.auth.ready()
  await auth.auth.mailboxUrl()

  expect(waitUntil).not.toHaveBeenCalled()
})

describe('without waitUntil', () => {
  it('sends the message before the response', async () => {
    let sent = 0
    await frozen(async () => {
      sent += 1
    })

    const { status } = await signUp('ada@example.test')

    expect({ status, sent, waiting: await waiting() }).toEqual({
      status: 200,
      sent: 1,
      waiting: [],
    })
  })

  it.each([
    ['that leaves at once', 0],
    ['that takes some time', 150],
    ['that takes too long', 2 * longDelayMs],
  ])(
    'responds to known and unknown addresses at the same time, with a message %s',
    async (_, sendMs) => {
      await frozen(() => sleep(sendMs), { answerDelaySeconds: longDelayMs / 1000 })
      await auth.given.user('known@example.test')
      const recover = (email: string) => timed(() => auth.post('/recover', { email }))

      const known = await recover('known@example.test')
      const unknown = await recover('unknown@example.test')

      for (const one of [known, unknown]) {
        expect(one.result.status).toBe(200)
        // A timer may fire a moment early, and late on a busy machine; a message that is awaited
        // takes twice as long.
        expect(one.ms).toBeGreaterThanOrEqual(longDelayMs - 5)
        expect(one.ms).toBeLessThan(2 * longDelayMs)
      }
    },
  )

  it.each(['/recover', '/otp', '/magiclink', '/signup', '/resend'])(
    'conceals by its time whether %s finds a user',
    async (path) => {
      await frozen(async () => {}, { answerDelaySeconds: shortDelayMs / 1000 })
      await auth.given.user('known@example.test')
      const ask = (email: string) =>
        timed(() => auth.post(path, { email, password: 'correct horse', type: 'signup' }))

      const [known, unknown] = [await ask('known@example.test'), await ask('new@example.test')]

      expect([known.result.status, unknown.result.status]).toEqual([200, 200])
      expect(Math.min(known.ms, unknown.ms)).toBeGreaterThanOrEqual(shortDelayMs - 5)
    },
  )

  it.each(['known@example.test', 'unknown@example.test'])(
    'does not reveal by the time of other responses whether %s receives a message',
    async (email) => {
      const begun = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const send = () => {
        begun.resolve()
        return released.promise
      }
      await frozen(send, { answerDelaySeconds: longDelayMs / 1000 })
      await auth.given.user('known@example.test')
      const token = await auth.given.serviceToken()

      // Its message is in delivery while that of the other is stored.
      const inviting = timed(() => auth.post('/invite', { email: 'eve@example.test' }, { token }))
      await begun.promise
      const recorded = await auditEntries()
      const recovering = auth.post('/recover', { email })
      await waitFor(async () => expect(await auditEntries()).toBeGreaterThan(recorded))
      released.resolve()
      const [invited] = await Promise.all([inviting, recovering])
      auth.clock.advance(10)
      const { ms: laterMs } = await timed(() => auth.get('/settings'))

      expect(invited.result.status).toBe(200)
      expect(invited.ms).toBeGreaterThanOrEqual(longDelayMs - 5)
      expect(laterMs).toBeLessThan(longDelayMs - 5)
    },
  )

  it('responds before the delay is over where there is nothing to conceal', async () => {
    await frozen(async () => {}, { answerDelaySeconds: longDelayMs / 1000 })
    const token = await auth.given.serviceToken()

    const invite = { email: 'eve@example.test' }
    const { result, ms } = await timed(() => auth.post('/invite', invite, { token }))

    expect(result.status).toBe(200)
    expect(ms).toBeLessThan(longDelayMs - 5)
    expect(await waiting()).toEqual([])
  })

  it('retries with a later request a message that a carrier rejected', async () => {
    let isDown = true
    await frozen(async () => {
      if (isDown) throw new Error('down')
    })
    const { status } = await signUp('ada@example.test')
    expect({ status, waiting: await waiting() }).toEqual({
      status: 200,
      waiting: [{ status: 'waiting' }],
    })

    isDown = false
    auth.clock.advance(20)
    await auth.get('/settings')

    expect(await waiting()).toEqual([])
  })
})

describe('with waitUntil', () => {
  it('responds first, and passes on work that ends once the message is sent', async () => {
    const works: Promise<void>[] = []
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    await frozen(() => taken, { waitUntil: (work) => works.push(work) })

    const { status } = await signUp('ada@example.test')

    expect(status).toBe(200)
    expect(await waiting()).not.toEqual([])
    resolve()
    await Promise.all(works)
    expect(await waiting()).toEqual([])
  })

  it('prefers that of the request', async () => {
    const works: Promise<void>[] = []
    await frozen(async () => {}, {
      waitUntil: () => {
        throw new Error('that of the configuration')
      },
    })
    const body = JSON.stringify({ email: 'ada@example.test', password: 'correct horse' })
    const request = new Request('http://auth.test/signup', { method: 'POST', body })

    await auth.auth.fetch(request, { waitUntil: (work) => works.push(work) })

    expect(works).toHaveLength(1)
  })

  it.each<[string, () => unknown]>([
    ['throws', () => expect.fail('no request')],
    ['rejects', () => Promise.reject(new Error('no request'))],
    ['ignores the promise', () => {}],
    ['never ends', () => new Promise(() => {})],
    ['returns an object that throws when awaited', () => thenable(() => expect.fail('no work'))],
    [
      'returns an object that calls back twice',
      () => thenable(() => (done: () => void, fail: () => void) => [done(), fail(), done()]),
    ],
  ])('loses no message where it %s', async (_, waitUntil) => {
    await frozen(async () => {}, { waitUntil })

    const { status } = await signUp('ada@example.test')

    expect(status).toBe(200)
    await waitFor(async () => expect(await waiting()).toEqual([]))
  })

  it('passes on no rejection while the database is not reachable', async () => {
    const works: Promise<void>[] = []
    await frozen(async () => {}, { waitUntil: (work) => works.push(work) })
    const { database } = await auth.deps()
    await signUp('ada@example.test')
    await Promise.all(works)
    const broken = vi.spyOn(database.sql, 'query').mockRejectedValue(new Error('away'))
    auth.clock.advance(3600)

    const { status } = await auth.get('/health')
    broken.mockRestore()

    expect(status).toBe(200)
    await expect(Promise.all(works)).resolves.toBeDefined()
  })
})

describe('by the clock', () => {
  it('writes decisions with the request that they concern', async () => {
    await frozen(async () => {})

    await auth.get('/user')

    expect(await decisions()).toBe(1)
  })

  it('sweeps expired rows with a request, once a minute', async () => {
    await frozen(async () => {})
    await auth.get('/user')
    await expire()
    await auth.get('/settings')
    expect(await decisions()).toBe(1)

    auth.clock.advance(60)
    await auth.get('/settings')

    expect(await decisions()).toBe(0)
  })

  it('uses keys that another instance generated, before it signs', async () => {
    const encryptionKey = 'an encryption key for tests of 32 bytes'
    auth = await startTestAuth({
      jwt: { algorithm: 'ES256' },
      encryptionKey,
      background: { frozenBetweenRequests: true },
    })
    const before = await auth.given.session()

    // The state after another instance generated a key, and retired the one that this instance has.
    auth.clock.advance(60 * day)
    await auth.rows('delete from auth.signing_keys')
    const after = await auth.given.session()
    const { body } = await auth.get('/.well-known/jwks.json')

    expect(keyOf(after.accessToken)).not.toBe(keyOf(before.accessToken))
    expect(body.keys).toEqual([expect.objectContaining({ kid: keyOf(after.accessToken) })])
    await expect(auth.auth.verifyToken(before.accessToken)).rejects.toThrow()
  })

  it('does not sign while keys cannot be loaded', async () => {
    auth = await startTestAuth({
      jwt: { algorithm: 'ES256' },
      encryptionKey: 'an encryption key for tests of 32 bytes',
      background: { frozenBetweenRequests: true },
    })
    const { keys, database } = await auth.deps()
    auth.clock.advance(31)
    const broken = vi.spyOn(database.sql, 'query').mockRejectedValue(new Error('away'))

    await expect(keys.sign({})).rejects.toThrow('away')
    broken.mockRestore()
    await expect(keys.sign({})).resolves.toContain('.')
  })
})

describe('due work', () => {
  it('is run and counted when a scheduler requests it', async () => {
    let attempts = 0
    await frozen(async () => {
      attempts += 1
      if (attempts === 1) throw new Error('down')
    })
    await signUp('ada@example.test')
    auth.clock.advance(10)

    const first = await auth.auth.runDueWork()
    const second = await auth.auth.runDueWork()

    expect(first).toEqual({ sent: 1, retried: 0, failed: 0, swept: 0, isDone: true })
    expect(second).toMatchObject({ sent: 0, isDone: true })
  })

  it('is awaited only for the requested time', async () => {
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    await frozen(() => taken)
    await signUp('ada@example.test')

    const { result, ms } = await timed(() => auth.auth.runDueWork({ withinSeconds: 0.2 }))
    resolve()

    expect(result).toMatchObject({ sent: 0, isDone: false })
    // The carrier never accepts the message.
    expect(ms).toBeLessThan(10_000)
  })

  it.each([Number.NaN, -1, 1e9, 'x'])('rejects the time %s', async (withinSeconds) => {
    await frozen(async () => {})
    await expect(auth.auth.runDueWork({ withinSeconds: withinSeconds as number })).rejects.toThrow(
      /^withinSeconds must be a number from 0 to/,
    )
  })

  it('is reported as failed while the database is not reachable', async () => {
    await frozen(async () => {})
    const { database } = await auth.deps()
    const broken = vi.spyOn(database.sql, 'query').mockRejectedValue(new Error('away'))

    await expect(auth.auth.runDueWork()).rejects.toThrow('away')
    broken.mockRestore()
  })

  it('is left to other requests when a host looks up the user of one', async () => {
    await frozen(async () => {})
    const { accessToken } = await auth.given.session()
    await auth.get('/user')
    await expire()
    auth.clock.advance(60)

    await auth.auth.requireUser({ headers: { authorization: `Bearer ${accessToken}` } })

    expect(await decisions()).toBe(1)
  })
})

it('does nothing by itself', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await frozen(async () => {})
  await auth.get('/settings')

  expect(vi.getTimerCount()).toBe(0)
})

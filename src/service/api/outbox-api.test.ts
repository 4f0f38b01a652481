import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Host, openHost } from '../../../test/support/host.ts'
import { freePort } from '../../../test/support/server-process.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { HookRefusal } from '../../platform/config/sections/hooks.ts'
import type { OutboxApi } from './outbox-api.ts'

/** Mails go to a server that is down, codes to a hook that the test replaces. */
let auth: TestAuth
let host: Host
let outbox: OutboxApi
let hookResponse: () => unknown

beforeAll(async () => {
  auth = await startTestAuth({
    email: {
      autoconfirm: false,
      from: 'Acme <no-reply@example.test>',
      smtp: { host: '127.0.0.1', port: await freePort() },
    },
    sms: { autoconfirm: false },
    hooks: { sendSms: async () => hookResponse() as HookRefusal },
  })
  host = await openHost(auth.databaseUrl)
  outbox = auth.auth.outbox
})
beforeEach(async () => {
  hookResponse = () => ({ error: { http_code: 503, message: 'Later' } })
  await auth.rows('delete from auth.outbox_messages returning id')
})
afterAll(async () => {
  await host.close()
  await auth.close()
})

let made = 0
const signUpByEmail = async (): Promise<string> => {
  const email = `outbox${++made}@example.test`
  await auth.post('/signup', { email, password: testPassword })
  return email
}
const signUpByPhone = async (): Promise<string> => {
  const phone = `4915550${++made}00`
  await auth.post('/signup', { phone, password: testPassword })
  return phone
}
const settled = async () => (await auth.deps()).outbox.settled()
/** Returns the only message. */
const theOne = async () => {
  await settled()
  const [record, ...others] = await outbox.list()
  if (!record || others.length > 0) throw new Error('there is not one message')
  return record
}

describe('auth.outbox.list', () => {
  it('returns the properties of a message, without its content', async () => {
    const recipient = await signUpByEmail()
    const now = auth.clock.now()

    expect(await theOne()).toEqual({
      id: expect.any(String),
      channel: 'email',
      kind: 'confirmation',
      recipient,
      status: 'waiting',
      attempts: 1,
      createdAt: now,
      settledAt: null,
      nextAttemptAt: expect.any(Date),
      expiresAt: new Date(now.getTime() + 86_400_000),
      lastError: 'the mail server was unreachable, or the connection was lost: ECONNREFUSED',
      carrierMessageId: null,
    })
  })

  it('lists the newest first, a page at a time', async () => {
    const recipients: string[] = []
    for (let count = 0; count < 3; count++) {
      recipients.unshift(await signUpByEmail())
      auth.clock.advance(1)
    }

    const first = await outbox.list({ limit: 2 })
    const second = await outbox.list({ limit: 2, before: first.at(-1)?.id })

    expect([...first, ...second].map(({ recipient }) => recipient)).toEqual(recipients)
    expect([first.length, second.length]).toEqual([2, 1])
  })

  it('filters by status', async () => {
    await signUpByEmail()
    hookResponse = () => ({})
    const phone = await signUpByPhone()
    await settled()

    const sent = await outbox.list({ status: 'sent' })

    expect(sent).toMatchObject([{ recipient: phone, settledAt: auth.clock.now() }])
    expect(await outbox.list({ status: 'failed' })).toEqual([])
  })

  it.each([
    [{ status: 'lost' }, 'validation_failed', 'status'],
    [{ limit: 0 }, 'validation_failed', 'limit'],
    [{ limit: 1001 }, 'validation_failed', 'limit'],
    [{ limit: 1.5 }, 'bad_json', 'limit'],
    [{ before: 'x' }, 'validation_failed', 'before'],
    [{ before: 7 }, 'bad_json', 'before'],
    ['sent', 'bad_json', 'input'],
  ])('rejects %j', async (filter, code, field) => {
    const listing = outbox.list(filter as never)

    await expect(listing).rejects.toMatchObject({
      name: 'AuthError',
      status: 400,
      code,
      message: expect.stringContaining(field),
    })
  })
})

describe('auth.outbox.discard', () => {
  it('deletes a waiting message, which is not sent', async () => {
    await signUpByPhone()
    const { id } = await theOne()
    await outbox.discard(id)
    expect(await outbox.list()).toEqual([])
  })

  it.each(['00000000-0000-4000-8000-000000000000', 'x'])('rejects %s', async (id) => {
    await expect(outbox.discard(id)).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })
})

describe('auth.outbox.retry', () => {
  it('sends a pending message at once', async () => {
    await signUpByPhone()
    const { id } = await theOne()

    hookResponse = () => ({})
    await outbox.retry(id)

    expect(await theOne()).toMatchObject({ id, status: 'sent', attempts: 1, lastError: null })
  })

  it('resets the attempts of a given-up message', async () => {
    hookResponse = () => ({ error: { http_code: 403, message: 'Never' } })
    await signUpByPhone()
    const givenUp = await theOne()

    hookResponse = () => ({ error: { http_code: 503, message: 'Later' } })
    await outbox.retry(givenUp.id)

    expect(givenUp).toMatchObject({ status: 'failed', nextAttemptAt: null, lastError: 'Never' })
    expect(await theOne()).toMatchObject({
      status: 'waiting',
      attempts: 1,
      settledAt: null,
      lastError: 'Later',
    })
  })

  it('does not send a message twice while it is in delivery', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let requested = 0
    hookResponse = () => {
      requested++
      return promise
    }
    await signUpByPhone()
    while (requested === 0) await new Promise((done) => setTimeout(done, 5))
    const [sending] = await outbox.list()

    await outbox.retry(sending?.id ?? '')
    const [still] = await outbox.list()
    resolve()

    expect([sending?.status, still?.status]).toEqual(['sending', 'sending'])
    expect(await theOne()).toMatchObject({ status: 'sent', attempts: 1 })
    expect(requested).toBe(1)
  })

  it('is rejected for a sent message, and for an unknown one', async () => {
    hookResponse = () => ({})
    await signUpByPhone()
    const { id } = await theOne()

    for (const one of [id, '018f0000-0000-7000-8000-000000000001', 'x', 7, null]) {
      const rejection = { name: 'AuthError', code: 'not_found', status: 404 }
      await expect(outbox.retry(one as string)).rejects.toMatchObject(rejection)
      await expect(outbox.preview(one as string)).rejects.toMatchObject(rejection)
    }
  })
})

describe('auth.outbox.preview', () => {
  it('returns a mail as it would be sent, and sends nothing', async () => {
    await signUpByEmail()
    const before = await theOne()

    const preview = await outbox.preview(before.id)

    expect(preview).toEqual({
      subject: expect.stringMatching(/^Confirm your/i),
      html: expect.stringMatching(/verify\?token=[0-9a-f]{56}&amp;type=signup/),
      text: expect.stringMatching(/verify\?token=[0-9a-f]{56}&type=signup/),
    })
    expect(await theOne()).toEqual(before)
  })

  it('shows the payload of a hook', async () => {
    const phone = await signUpByPhone()
    const { id } = await theOne()

    expect(await outbox.preview(id)).toEqual({
      payload: {
        user: expect.objectContaining({ phone }),
        sms: { phone, otp: expect.stringMatching(/^\d{6}$/) },
      },
    })
  })

  it('returns the text of an SMS', async () => {
    const texting = await startTestAuth({
      sms: { autoconfirm: false, template: 'Say {{ .Code }}!', send: () => Promise.reject() },
    })
    await texting.post('/signup', { phone: '4915550100', password: testPassword })
    const [record] = await texting.auth.outbox.list()

    const preview = await texting.auth.outbox.preview(record?.id ?? '')

    expect(preview).toEqual({ text: expect.stringMatching(/^Say \d{6}!$/) })
    await texting.close()
  })
})

describe('a message in the host’s transaction', () => {
  const signUpIn = async (after: () => void) => {
    const phone = `4915551${++made}00`
    await host.transaction(async (em) => {
      await auth.auth.api.signUp({ phone, password: testPassword }, { em })
      await settled()
      after()
    })
  }

  it('is sent once that has committed, and not before', async () => {
    const requested: number[] = []
    let isCommitted = false
    hookResponse = () => {
      requested.push(Number(isCommitted))
    }

    await signUpIn(() => {
      isCommitted = true
    })

    expect(await theOne()).toMatchObject({ status: 'sent', attempts: 1 })
    expect(requested).toEqual([1])
  })

  it('goes with it', async () => {
    const rollingBack = signUpIn(() => {
      throw new Error('changed my mind')
    })

    await expect(rollingBack).rejects.toThrow('changed my mind')
    await settled()
    expect(await outbox.list()).toEqual([])
  })
})

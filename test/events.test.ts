import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AuthEvent } from '../src/platform/config/sections/hooks.ts'
import { orderedUuids } from '../src/platform/kit/uuid.ts'
import { newHookSecret } from './support/hooks.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { passkeysOf } from './support/passkeys.ts'
import { secondFactors } from './support/second-factors.ts'
import { testPassword } from './support/test-auth.ts'
import { answerJson, startWebServer } from './support/web-server.ts'

let auth: MessagingAuth
let received: AuthEvent[]
afterEach(() => auth.close())

const password = testPassword

/** @param take handles an event in the application; throws where it fails. */
async function start(take: (event: AuthEvent) => void = () => {}) {
  received = []
  auth = await startMessagingAuth({
    passkeys: { enabled: true },
    hooks: {
      events: (event) => {
        take(event)
        received.push(event)
      },
    },
  })
}
const settled = async () => (await auth.deps()).outbox.settled()
const typesReceived = (userId: string) =>
  received.filter(({ user_id }) => user_id === userId).map(({ type }) => type)

/** Performs every action with an event for one user. */
async function live() {
  const email = 'ada@example.test'
  const { body } = await auth.post('/signup', { email, password })
  const { code } = await auth.messageTo(email)
  const proved = await auth.post('/verify', { type: 'signup', email, token: code })
  await auth.post('/token?grant_type=password', { email, password })
  const factors = secondFactors(auth)
  const app = await factors.enrolledApp(proved.body.access_token)
  const { body: strong } = await factors.prove(proved.body.access_token, app)
  const token = strong.access_token
  await factors.unenroll(token, app.id)
  const change = await auth.put('/user', { password: 'another horse battery' }, { token })
  expect(change.status).toBe(200)
  await auth.auth.admin.updateUser(body.id, { email: 'ada2@example.test', emailConfirm: true })
  await auth.auth.admin.updateUser(body.id, { phone: '4915550001', phoneConfirm: true })
  await auth.auth.admin.deleteUser(body.id)
  await settled()
  return body.id as string
}

describe('events', () => {
  it('are delivered in order, even after the deletion of the user', async () => {
    await start()
    const id = await live()

    expect(typesReceived(id)).toEqual([
      'user.created',
      'session.opened',
      'session.opened',
      'factor.verified',
      'factor.removed',
      'password.changed',
      'email.changed',
      'phone.changed',
      'identity.linked',
      'user.deleted',
    ])
    expect(received[1]).toEqual({
      metadata: { uuid: expect.any(String), time: expect.any(String), name: 'events' },
      type: 'session.opened',
      user_id: id,
      data: { session_id: expect.any(String), method: 'otp' },
    })
  })

  it('contain no address, no secret and no code', async () => {
    await start()
    await live()

    expect(JSON.stringify(received)).not.toMatch(/example\.test|4915550001|horse|secret|token/)
  })

  it('are delivered at once when an operator removes a factor', async () => {
    await start()
    const { user, app } = await secondFactors(auth).aal2Session()
    await settled()

    await auth.auth.admin.deleteFactor(user.id, app.id)

    // Much earlier than the outbox would be polled.
    await vi.waitFor(() => expect(typesReceived(user.id).at(-1)).toBe('factor.removed'), 2_000)
  })

  it('store no row without a listener', async () => {
    auth = await startMessagingAuth()
    received = []
    await live()

    expect(await auth.rows(`select * from auth.outbox_messages where channel = 'events'`)).toEqual(
      [],
    )
  })

  it('report an erasure by the user, and an anonymization', async () => {
    await start()
    const one = await auth.given.session()
    const other = await auth.given.user()
    await auth.auth.api.deleteUser({ accessToken: one.accessToken, password })
    await auth.auth.admin.deleteUser(other.id, { soft: true })
    await auth.auth.admin.deleteUser(other.id, { soft: true })
    await settled()

    expect(typesReceived(one.user.id).at(-1)).toBe('user.deleted')
    expect(typesReceived(other.id)).toEqual(['user.created', 'user.deleted'])
  })

  it('report sessions by passkey and by PKCE', async () => {
    await start()
    const session = await auth.given.session()
    const { authenticator } = await passkeysOf(auth).userOf(session)
    await passkeysOf(auth).signIn(authenticator)
    await settled()

    expect(typesReceived(session.user.id)).toEqual([
      'user.created',
      'session.opened',
      'passkey.registered',
      'session.opened',
    ])
    expect(received.at(-1)?.data).toMatchObject({ method: 'passkey' })
  })

  it('are not delivered for rejected requests', async () => {
    await start()
    const { id, email } = await auth.given.user()
    await auth.post('/token?grant_type=password', { email, password: 'wrong' })
    await auth.post('/signup', { email, password })
    await settled()

    expect(typesReceived(id)).toEqual(['user.created'])
    expect(received).toHaveLength(1)
  })
})

describe('a failing listener', () => {
  it('receives the event again under the same id, and no later one of the user before it', async () => {
    let failures = 0
    let broken: string | null = null
    const attempts: string[] = []
    await start((event) => {
      attempts.push(event.metadata.uuid)
      if (event.user_id !== broken || failures++ >= 3) return
      throw new Error('not now')
    })
    const first = await auth.given.user()
    await settled()
    broken = first.id
    const { email } = first
    for (let time = 0; time < 3; time += 1) {
      await auth.post('/token?grant_type=password', { email, password })
    }
    const other = await auth.given.session()
    await settled()
    const during = { first: typesReceived(first.id), other: typesReceived(other.user.id) }
    for (let time = 0; time < 8; time += 1) {
      auth.clock.advance(60)
      await settled()
    }

    expect(during).toEqual({ first: ['user.created'], other: ['user.created', 'session.opened'] })
    expect(typesReceived(first.id)).toEqual([
      'user.created',
      'session.opened',
      'session.opened',
      'session.opened',
    ])
    expect(failures).toBeGreaterThan(3)
    const ids = received.map(({ metadata }) => metadata.uuid)
    expect(new Set(ids).size).toBe(ids.length)
    expect(attempts.length - new Set(attempts).size).toBe(3)
  })

  it('cannot reject an event', async () => {
    await start((event) => {
      if (received.length === 0 && event.metadata.time === auth.clock.now().toISOString()) {
        throw Object.assign(new Error('no'), { status: 400 })
      }
    })
    const { id } = await auth.given.user()
    await settled()
    auth.clock.advance(60)
    await settled()

    expect(typesReceived(id)).toEqual(['user.created'])
  })
})

it('receives it over HTTP, signed, under a constant id', async () => {
  const secret = newHookSecret()
  let isDown = true
  await using server = await startWebServer((response) =>
    isDown ? response.writeHead(400).end() : answerJson(response, 200, {}),
  )
  received = []
  auth = await startMessagingAuth({ hooks: { events: { uri: server.url, secrets: secret } } })
  const { id } = await auth.given.user()
  await settled()
  isDown = false
  auth.clock.advance(60)
  await settled()

  const [first, second] = server.heard
  expect(server.heard).toHaveLength(2)
  expect(second?.text).toBe(first?.text)
  const { metadata, ...event } = JSON.parse(first?.text ?? '')
  expect(event).toEqual({ type: 'user.created', user_id: id, data: {} })
  for (const { headers, text } of server.heard) {
    expect(headers['webhook-id']).toBe(metadata.uuid)
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    const signature = new Webhook(secret.replace('v1,', '')).sign(metadata.uuid, at, text)
    expect(headers['webhook-signature']).toBe(signature)
  }
})

it('ids of events sort in their order, however many there are at one instant', () => {
  const next = orderedUuids()
  const at = new Date('2026-03-01T12:00:00.000Z')
  const ids = Array.from({ length: 10_000 }, () => next(at))
  const earlier = next(new Date(at.getTime() - 1000))
  const later = next(new Date(at.getTime() + 1000))

  const all = [...ids, earlier, later]
  expect(all.toSorted()).toEqual(all)
  expect(new Set(all).size).toBe(all.length)
})

import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  claimsIn,
  type GivenClient,
  headerOf,
  oauthOf,
} from '../../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'
import { answering, startWebServer, type WebServer } from '../../../../test/support/web-server.ts'
import { newOutboxRow, type OutboxRow } from '../../../delivery/outbox/outbox-row.ts'
import { firstUuidAt } from '../../../platform/kit/uuid.ts'
import { statement } from '../../../platform/sql/statement.ts'
import { openLogoutOutlet } from './logout-outlet.ts'
import { reportEndedSessions } from './report-ended-sessions.sql.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>
let receiver: WebServer
let status = 200
let client: GivenClient

beforeAll(async () => {
  auth = await startTestAuth({ ...asOauthServer, siteUrl: 'https://app.example.test' })
  oauth = oauthOf(auth)
  receiver = await startWebServer((response, heard) => answering(status)(response, heard))
  client = await oauth.client({
    backchannel_logout_uri: `${receiver.url}/logout`,
    post_logout_redirect_uris: ['https://client.example.test/'],
  })
})
afterEach(() => {
  receiver.heard.length = 0
  status = 200
})
afterAll(async () => {
  await auth.close()
  await receiver.close()
})

const received = async (): Promise<string[]> => {
  await (await auth.deps()).outbox.settled()
  return receiver.heard.map(({ text }) => new URLSearchParams(text).get('logout_token') ?? '')
}
const signIn = async () => {
  const session = await auth.given.session()
  const tokens = await oauth.tokens(client, session.accessToken, { scope: 'openid email' })
  return { ...session, tokens, sid: claimsIn(tokens.id_token ?? '')['sid'] }
}
type SignedIn = Awaited<ReturnType<typeof signIn>>

const ends: [string, (signedIn: SignedIn) => Promise<unknown>][] = [
  [
    'a revoked grant',
    ({ accessToken }) =>
      auth.request('DELETE', `/user/oauth/grants?client_id=${client.id}`, { token: accessToken }),
  ],
  [
    'a sign-out everywhere',
    ({ accessToken }) => auth.post('/logout?scope=global', undefined, { token: accessToken }),
  ],
  ['a ban', ({ user }) => auth.auth.admin.banUser(user.id)],
  [
    'a ban by a change of the user',
    ({ user }) => auth.auth.admin.updateUser(user.id, { banDuration: '24h' }),
  ],
  [
    'a ban with another password',
    ({ user }) =>
      auth.auth.admin.updateUser(user.id, { banDuration: '24h', password: 'another horse' }),
  ],
  ['a deleted user', ({ user }) => auth.auth.admin.deleteUser(user.id)],
  ['a softly deleted user', ({ user }) => auth.auth.admin.deleteUser(user.id, { soft: true })],
  ['an erased user', ({ user }) => auth.auth.admin.eraseUser(user.id)],
  [
    'another password',
    ({ accessToken }) => auth.put('/user', { password: 'another horse' }, { token: accessToken }),
  ],
  [
    'a revoked token',
    ({ tokens }) => oauth.form('/oauth/revoke', { token: tokens.refresh_token }, client),
  ],
  [
    'a logout at the client',
    ({ tokens }) => auth.get(`/oauth/logout?id_token_hint=${tokens.id_token}`),
  ],
]

describe('a client with a back-channel logout URI', () => {
  it.each(ends)('receives a logout token after %s', async (_, end) => {
    const signedIn = await signIn()
    await end(signedIn)
    const tokens = await received()

    expect(receiver.heard[0]).toMatchObject({
      method: 'POST',
      path: '/logout',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(tokens).toHaveLength(1)
    const [token = ''] = tokens
    expect(headerOf(token)).toMatchObject({ typ: 'logout+jwt', alg: 'ES256' })
    const claims = claimsIn(token)
    expect(claims).toEqual({
      iss: 'https://auth.example.test',
      sub: signedIn.user.id,
      aud: client.id,
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
      sid: signedIn.sid,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    const { body } = await auth.get('/.well-known/jwks.json')
    const key = createPublicKey({ key: body.keys[0], format: 'jwk' })
    const [header, payload, signature = ''] = token.split('.')
    const signed = Buffer.from(`${header}.${payload}`)
    const dsa = { key, dsaEncoding: 'ieee-p1363' } as const
    expect(verify('sha256', signed, dsa, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  it('receives none after a ban that has ended already', async () => {
    const { user } = await signIn()
    await auth.auth.admin.updateUser(user.id, { banDuration: '-1h' })

    expect(await received()).toEqual([])
  })

  it('receives it again after a temporary error, and not after a rejection', async () => {
    const [first, second] = [await signIn(), await signIn()]
    const revoke = ({ tokens }: SignedIn) =>
      oauth.form('/oauth/revoke', { token: tokens.refresh_token }, client)
    status = 503
    await revoke(first)
    expect(await received()).toHaveLength(1)
    status = 200
    auth.clock.advance(5)
    expect(await received()).toHaveLength(2)

    status = 400
    await revoke(second)
    expect(await received()).toHaveLength(3)
    auth.clock.advance(600)
    expect(await received()).toHaveLength(3)
  })

  it('receives nothing about sessions of other clients and of the user', async () => {
    const { accessToken } = await auth.given.session()
    const other = await oauth.client()
    const { refresh_token: token } = await oauth.tokens(other, accessToken)
    await oauth.form('/oauth/revoke', { token }, other)
    await auth.post('/logout', undefined, { token: accessToken })

    expect(await received()).toEqual([])
  })

  it('has no token that opens a route', async () => {
    const { tokens } = await signIn()
    await oauth.form('/oauth/revoke', { token: tokens.refresh_token }, client)
    const [token = ''] = await received()

    expect((await auth.get('/user', { token })).status).toBe(403)
    expect((await auth.get('/oauth/userinfo', { token })).status).toBe(401)
    expect((await auth.get(`/oauth/logout?id_token_hint=${token}`)).status).toBe(400)
  })

  it('is in the metadata', async () => {
    const { body } = await auth.get('/.well-known/openid-configuration')

    expect(body).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    })
  })
})

it('a logout message has the columns of the other messages, and an id of its time', async () => {
  await signIn()
  const deps = await auth.deps()
  const sessions = `(select id, user_id, oauth_client_id from auth.sessions
    where oauth_client_id = '${client.id}' order by created_at desc limit 1)`
  const report = statement<Record<string, never>, OutboxRow>(
    'report_for_test',
    (sql) => `${reportEndedSessions(sql, sessions)} returning *`,
  )
  const rolledBack = new Error('rolled back, so that nothing is sent')
  let stored: OutboxRow | undefined
  const transaction = deps.database.transaction(async ({ sql }) => {
    const rows = await sql.query(report, {})
    stored = rows[0]
    throw rolledBack
  })
  await expect(transaction).rejects.toBe(rolledBack)

  const { id, body, recipient, next_attempt_at, created_at, ...usual } = newOutboxRow(
    deps,
    {
      message: { channel: 'oauth_logout', content: {} },
      kind: 'oauth_logout',
      recipient: 'any',
      userId: null,
      expiresAt: null,
    },
    new Date(),
  )
  expect(stored).toMatchObject(usual)
  expect(Object.keys(stored ?? {}).toSorted()).toEqual(
    [...Object.keys(usual), 'id', 'body', 'recipient', 'next_attempt_at', 'created_at'].toSorted(),
  )
  const at = new Date(stored?.created_at ?? '')
  const [from, to] = [0, 1].map((ms) => firstUuidAt(new Date(at.getTime() + ms)))
  expect([from, stored?.id, to].toSorted()).toEqual([from, stored?.id, to])
})

it('S141: three calls at once wait for a client that does not respond, and none to others', async () => {
  const deps = await auth.deps()
  const other = await oauth.client({ backchannel_logout_uri: 'https://other.example.test/logout' })
  const ends: (() => void)[] = []
  let ms = 0
  let isDown = true
  const needs = {
    ...deps,
    sql: deps.database.sql,
    fetch: async (uri: string) => {
      if (uri.startsWith(receiver.url) && isDown) {
        ms += 5_000
        throw new Error('timeout')
      }
      if (uri.startsWith(receiver.url)) await new Promise<void>((end) => void ends.push(end))
      return { status: 200, headers: {}, bytes: Buffer.alloc(0), text: '' }
    },
  }
  const outlet = openLogoutOutlet(needs, () => ms)
  const send = (client_id: string) =>
    outlet.send(
      { client_id, session_id: randomUUID(), user_id: randomUUID() },
      { id: randomUUID(), createdAt: auth.clock.now() },
    )
  await expect(send(client.id)).rejects.toThrow('timeout')
  isDown = false
  const sent = Array.from({ length: 4 }, () => send(client.id))

  await expect(Promise.race(sent)).rejects.toThrow('three calls to this origin wait')
  await expect(send(other.id)).resolves.toEqual({ carrierMessageId: null })
  await expect.poll(() => ends.length).toBe(3)
  for (const end of ends) end()
  const results = await Promise.allSettled(sent)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'

// Attacks by `X-JWT-AUD`: an operator introduces an audience by creating a user in it, and audiences do not affect each other.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `named-${++made}@example.test`

const ada = { ip: '203.0.113.10' }
const eve = { ip: '198.51.100.66' }
const [adaPassword, evePassword] = ['the password of Ada', 'the password of Eve']

describe('H05: an unknown audience', () => {
  const elsewhere = { ...eve, headers: { 'x-jwt-aud': 'nowhere' } }

  it.each(['/signup', '/otp', '/magiclink'])('gets no users by POST %s', async (path) => {
    const email = newEmail()

    const { status, body } = await auth.post(path, { email, password: evePassword }, elsewhere)

    const users = await auth.rows('select id from auth.users where email = $1', [email])
    expect([status, body.error_code, users]).toEqual([400, 'validation_failed', []])
  })

  it.each([
    ['/otp', {}],
    ['/magiclink', {}],
    ['/recover', {}],
    ['/resend', { type: 'signup' }],
  ])('is not assigned to a user by POST %s', async (path, body) => {
    const email = newEmail()
    await auth.post('/signup', { email, password: adaPassword }, ada)

    const { status } = await auth.post(path, { ...body, email }, elsewhere)

    await auth.follow(await auth.messageTo(email))
    const [user] = await auth.rows('select audience from auth.users where email = $1', [email])
    expect([status, user]).toEqual([400, { audience: 'authenticated' }])
  })

  it('has the same response for known and unknown addresses', async () => {
    const { email } = await auth.given.user(newEmail())
    const known = await auth.post('/signup', { email, password: evePassword }, elsewhere)
    const unknown = await auth.post(
      '/signup',
      { email: newEmail(), password: evePassword },
      elsewhere,
    )

    expect(known.body.msg).toBe(unknown.body.msg)
    expect(known.status).toBe(unknown.status)
  })

  it('becomes known by a user whom an operator creates there', async () => {
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'mobile' })
    const email = newEmail()

    const { status } = await auth.post(
      '/signup',
      { email, password: adaPassword },
      { ...ada, headers: { 'x-jwt-aud': 'mobile' } },
    )

    const users = await auth.rows('select audience from auth.users where email = $1', [email])
    expect([status, users]).toEqual([200, [{ audience: 'mobile' }]])
  })

  it.each([
    [
      'sign-up',
      'signup',
      (email: string) => auth.post('/signup', { email, password: adaPassword }, ada),
    ],
    ['code', 'email', (email: string) => auth.post('/otp', { email }, ada)],
    ['link', 'email', (email: string) => auth.post('/magiclink', { email }, ada)],
  ])('and a known one keeps no address from the %s of its owner', async (_case, type, ask) => {
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'tablet' })
    const there = { ...eve, headers: { 'x-jwt-aud': 'tablet' } }
    const email = newEmail()
    await auth.post('/signup', { email, password: evePassword }, there)
    await ask(email)
    const { code } = await auth.messageTo(email)

    const { status, body } = await auth.post('/verify', { type, email, token: code }, ada)

    expect([status, body.user?.aud]).toEqual([200, 'authenticated'])
    const eves = await auth.post(
      '/token?grant_type=password',
      { email, password: evePassword },
      there,
    )
    expect(eves.body.error_code).toBe('invalid_credentials')
  })

  it.each([
    ['enters the code in another network', 'code', { ip: '203.0.113.99' }],
    ['opens the link in another network, in their application', 'link', { ip: '203.0.113.99' }],
    ['enters the code, and cannot be identified', 'code', { ip: '127.0.0.1' }],
  ] as const)('nor from an owner who %s', async (_case, proof, elsewhere) => {
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'tablet' })
    const email = newEmail()
    const there = { ...eve, headers: { 'x-jwt-aud': 'tablet' } }
    await auth.post('/signup', { email, password: evePassword }, there)
    await auth.post('/otp', { email }, ada)
    const message = await auth.messageTo(email)
    const evidence =
      proof === 'code'
        ? { type: 'email', email, token: message.code }
        : { type: 'email', token_hash: message.hash }

    const { status, body } = await auth.post('/verify', evidence, elsewhere)

    expect([status, body.user?.aud]).toEqual([200, 'authenticated'])
  })

  it('and is not assigned to a user whose application submits the link', async () => {
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'tablet' })
    const email = newEmail()
    await auth.post('/signup', { email, password: adaPassword }, ada)
    await auth.post('/otp', { email }, { ...eve, headers: { 'x-jwt-aud': 'tablet' } })
    const { hash } = await auth.messageTo(email)

    const { body } = await auth.post('/verify', { type: 'email', token_hash: hash }, ada)

    expect(body.user?.aud).toBe('authenticated')
  })
})

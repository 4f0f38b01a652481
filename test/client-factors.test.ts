import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Authenticator,
  createAuthenticator,
  type Deviations,
} from './support/authenticator.ts'
import { type MessageServer, startMessageServer } from './support/message-server.ts'
import { totpOf } from './support/second-factors.ts'
import { createStorage } from './support/supabase-client.ts'

// The unmodified client, and second factors.

const password = 'correct horse 1'

let server: MessageServer
let people = 0

beforeAll(async () => {
  server = await startMessageServer({
    AUTH_MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
    AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
    AUTH_MFA_PHONE_ENROLL_ENABLED: 'true',
    AUTH_MFA_PHONE_VERIFY_ENABLED: 'true',
    AUTH_MFA_EMAIL_ENROLL_ENABLED: 'true',
    AUTH_MFA_EMAIL_VERIFY_ENABLED: 'true',
    AUTH_MAILER_NOTIFICATIONS_MFA_FACTOR_ENROLLED_ENABLED: 'true',
    AUTH_MAILER_NOTIFICATIONS_MFA_FACTOR_UNENROLLED_ENABLED: 'true',
    AUTH_MAILER_NOTIFICATIONS_MFA_RECOVERY_CODE_USED_ENABLED: 'true',
  })
})
afterAll(() => server?.close())

const rejection = (code: string, status: number) => ({ error: { code, status } })

/** Opens a browser in which a new user is signed in. */
async function signedIn() {
  const email = `factor${++people}@example.test`
  const { data } = await server.operator().createUser({ email, password, email_confirm: true })
  const storage = createStorage()
  const client = server.client({ storage })
  const { error } = await client.signInWithPassword({ email, password })
  if (error) throw error
  return { email, client, storage, userId: data.user?.id ?? '' }
}

/** Opens the same with an unverified app. */
async function withApp(friendlyName = 'app') {
  const person = await signedIn()
  const { data, error } = await person.client.mfa.enroll({ factorType: 'totp', friendlyName })
  if (error) throw error
  const codeOf = (steps = 0) => totpOf(data.totp.secret, new Date(), steps)
  return { ...person, factorId: data.id, totp: data.totp, codeOf }
}

/** Waits until the code of an app is stable for a while. */
async function awayFromTheEdge() {
  const restMs = 30_000 - (Date.now() % 30_000)
  if (restMs < 2_000) await sleep(restMs)
}

/**
 * Opens the same with an app that was verified by the code of the previous step, so that the next
 * codes are valid.
 */
async function withStrongSession() {
  const person = await withApp()
  const { factorId, codeOf } = person
  await awayFromTheEdge()
  const proved = await person.client.mfa.challengeAndVerify({ factorId, code: codeOf(-1) })
  if (proved.error) throw proved.error
  return person
}

describe('an authenticator app', () => {
  it('is enrolled with an image that a page can display', async () => {
    const { email, totp } = await withApp()

    expect(totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /)
    expect(totp.uri).toContain(`app.example.test:${encodeURIComponent(email)}?`)
    expect(totp.uri).toContain(`secret=${totp.secret}`)
  })

  it('raises the session by challenge and verify, and emits an event', async () => {
    const { client, factorId, codeOf, email } = await withApp()
    const events: string[] = []
    client.onAuthStateChange((event) => void events.push(event))
    const levels = async () =>
      (await client.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel

    const before = await levels()
    const { data: challenge } = await client.mfa.challenge({ factorId })
    const challengeId = challenge?.id ?? ''
    const wrong = await client.mfa.verify({ factorId, challengeId, code: '000' })
    const right = await client.mfa.verify({ factorId, challengeId, code: codeOf() })

    expect(wrong).toMatchObject(rejection('mfa_verification_failed', 422))
    expect(right).toMatchObject({ error: null, data: { token_type: 'bearer', user: { email } } })
    expect([before, await levels()]).toEqual(['aal1', 'aal2'])
    expect(events).toContain('MFA_CHALLENGE_VERIFIED')
    expect((await client.refreshSession()).error).toBeNull()
    expect(await levels()).toBe('aal2')
    expect((await server.mailTo(email)).subject).toContain('verification method was added')
  })

  it('is required at the next sign-in', async () => {
    const { email, factorId, codeOf } = await withStrongSession()
    const client = server.client()
    await client.signInWithPassword({ email, password })

    const before = (await client.mfa.getAuthenticatorAssuranceLevel()).data
    const refused = await client.updateUser({ password: 'another horse 2' })
    const proved = await client.mfa.challengeAndVerify({ factorId, code: codeOf() })
    const after = (await client.mfa.getAuthenticatorAssuranceLevel()).data
    const changed = await client.updateUser({ password: 'another horse 2' })

    expect(before).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
    expect(refused).toMatchObject(rejection('insufficient_aal', 401))
    expect([proved.error, changed.error]).toEqual([null, null])
    expect(after).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect(
      after?.currentAuthenticationMethods.map((one) =>
        typeof one === 'string' ? one : one.method,
      ),
    ).toEqual(['totp', 'password'])
  })

  it('is listed, and unenrolled', async () => {
    const { client, factorId, email } = await withStrongSession()
    await server.mailTo(email)
    await client.mfa.enroll({ factorType: 'totp', friendlyName: 'begun' })

    const { data: before } = await client.mfa.listFactors()
    const removed = await client.mfa.unenroll({ factorId })
    await client.refreshSession()
    const { data: after } = await client.mfa.listFactors()

    expect(before).toMatchObject({ all: [{}, {}], totp: [{ id: factorId }], phone: [] })
    expect(removed).toMatchObject({ error: null, data: { id: factorId } })
    expect(after).toMatchObject({ all: [{ friendly_name: 'begun' }], totp: [] })
    const level = await client.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' })
    expect((await server.mailTo(email)).subject).toContain('verification method was removed')
  })

  it('is not unenrolled by a session that has not verified it', async () => {
    const { email, factorId } = await withStrongSession()
    const client = server.client()
    await client.signInWithPassword({ email, password })

    expect(await client.mfa.unenroll({ factorId })).toMatchObject(
      rejection('insufficient_aal', 422),
    )
  })

  it('signs out other browsers that have not verified it', async () => {
    const { email, client, factorId, codeOf } = await withApp()
    const other = server.client()
    await other.signInWithPassword({ email, password })

    await client.mfa.challengeAndVerify({ factorId, code: codeOf() })

    expect((await other.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await client.getUser()).error).toBeNull()
  })
})

describe('a phone', () => {
  it('receives a code, which raises the session', async () => {
    const { client } = await signedIn()
    const phone = '+4915560000001'
    const { data } = await client.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'phone' })
    const factorId = data?.id ?? ''

    const { data: challenge } = await client.mfa.challenge({ factorId, channel: 'sms' })
    const code = await server.codeTo(phone.slice(1))
    const challengeId = challenge?.id ?? ''
    const proved = await client.mfa.verify({ factorId, challengeId, code })

    expect(data).toMatchObject({ type: 'phone', phone })
    expect(proved.error).toBeNull()
    const level = await client.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data?.currentLevel).toBe('aal2')
    expect((await client.mfa.listFactors()).data?.phone).toMatchObject([{ id: factorId }])
  })
})

describe('codes by mail', () => {
  it('are enrolled, verified after the next sign-in, listed as a phone, and removed', async () => {
    const { client, email } = await signedIn()
    // The types of the client do not contain the factor.
    const params = { factorType: 'email', friendlyName: 'mail' } as unknown as {
      factorType: 'totp'
      friendlyName: string
    }
    const { data: enrolled, error } = await client.mfa.enroll(params)
    const factorId = enrolled?.id ?? ''
    const prove = async (by: typeof client) => {
      const { data: challenge } = await by.mfa.challenge({ factorId })
      const { code } = await server.mailTo(email)
      return by.mfa.verify({ factorId, challengeId: challenge?.id ?? '', code: code ?? '' })
    }
    const first = await prove(client)
    expect([error, first.error]).toEqual([null, null])
    expect(enrolled).toMatchObject({ type: 'email', friendly_name: 'mail' })
    expect((await server.mailTo(email)).subject).toContain('verification method was added')

    const next = server.client()
    await next.signInWithPassword({ email, password })
    const levels = async () => (await next.mfa.getAuthenticatorAssuranceLevel()).data
    const before = await levels()
    const { data: listed, error: notListed } = await next.mfa.listFactors()
    const again = await prove(next)
    const after = await levels()
    const removed = await next.mfa.unenroll({ factorId })
    await next.refreshSession()

    expect(before).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
    const factor = { id: factorId, factor_type: 'phone', channel: 'email', status: 'verified' }
    expect([notListed, listed?.phone, listed?.totp]).toMatchObject([null, [factor], []])
    expect(listed?.all[0]).not.toHaveProperty('phone')
    expect(again.error).toBeNull()
    expect(after).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect(removed).toMatchObject({ error: null, data: { id: factorId } })
    expect((await next.mfa.listFactors()).data?.all).toEqual([])
  })

  it('are refused after a link to the same mailbox', async () => {
    const { client, email } = await signedIn()
    await client.signInWithOtp({ email })
    const { code } = await server.mailTo(email)
    await client.verifyOtp({ email, token: code ?? '', type: 'email' })

    const params = { factorType: 'email' } as unknown as { factorType: 'totp' }

    expect(await client.mfa.enroll(params)).toMatchObject(
      rejection('mfa_email_not_independent', 422),
    )
  })
})

describe('recovery codes', () => {
  it('are generated, used at another sign-in, counted, replaced and removed', async () => {
    const { email, client, storage } = await withStrongSession()
    await server.mailTo(email)
    const { data: generated } = await client.mfa.recoveryCodes.generate({ friendlyName: 'Paper' })
    const [code = ''] = generated?.codes ?? []
    expect(generated).toMatchObject({ type: 'recovery_code', friendly_name: 'Paper', total: 10 })
    expect((await server.mailTo(email)).subject).toContain('verification method was added')

    const phone = server.client({ storage: createStorage() })
    await phone.signInWithPassword({ email, password })
    const events: string[] = []
    phone.onAuthStateChange((event) => void events.push(event))
    const typed = code.toUpperCase().match(/.{4}/g)?.join('-') ?? ''
    const levels = async () => (await phone.mfa.getAuthenticatorAssuranceLevel()).data
    const before = await levels()
    const wrong = await phone.mfa.recoveryCodes.verify({ code: 'wrong' })
    const right = await phone.mfa.recoveryCodes.verify({ code: typed })
    const again = await phone.mfa.recoveryCodes.verify({ code })

    expect(before).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
    expect(wrong).toMatchObject(rejection('mfa_verification_failed', 422))
    expect(right).toMatchObject({ error: null, data: { token_type: 'bearer', user: { email } } })
    expect(again).toMatchObject(rejection('mfa_verification_failed', 422))
    expect(events).toContain('MFA_CHALLENGE_VERIFIED')
    const after = await levels()
    expect(after).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect(after?.currentAuthenticationMethods).toMatchObject([
      { method: 'mfa/recovery_code' },
      { method: 'password' },
    ])
    expect((await phone.refreshSession()).error).toBeNull()
    expect((await server.mailTo(email)).subject).toContain('recovery code was used')

    const { recoveryCodes } = phone.mfa
    expect((await recoveryCodes.getStatus()).data).toMatchObject({ total: 10, remaining: 9 })
    const { data: replaced } = await recoveryCodes.regenerate()
    expect(replaced).toMatchObject({ id: generated?.id, friendly_name: 'Paper', total: 10 })
    expect((await recoveryCodes.getStatus()).data).toMatchObject({ remaining: 10 })
    expect((await phone.mfa.listFactors()).data).toMatchObject({
      all: [{ factor_type: 'totp' }],
      recovery_code: [],
    })
    const removed = await recoveryCodes.unenroll()
    expect(removed).toMatchObject({ error: null, data: { id: generated?.id } })
    expect(await recoveryCodes.getStatus()).toMatchObject(rejection('mfa_factor_not_found', 404))
    expect(storage.isEmpty()).toBe(false)
  })

  it('require another factor that was verified', async () => {
    const { client: alone } = await signedIn()
    const { email } = await withStrongSession()
    const weak = server.client()
    await weak.signInWithPassword({ email, password })

    expect(await alone.mfa.recoveryCodes.generate()).toMatchObject(
      rejection('mfa_recovery_codes_sole_factor', 422),
    )
    expect(await weak.mfa.recoveryCodes.generate()).toMatchObject(
      rejection('insufficient_aal', 403),
    )
  })
})
const toBase64Url = (buffer: unknown) => Buffer.from(buffer as ArrayBuffer).toString('base64url')

/**
 * Does the work of the client's `register` and `authenticate`, with an authenticator in place of a
 * browser.
 */
async function show(
  client: Awaited<ReturnType<typeof signedIn>>['client'],
  factorId: string,
  key: Authenticator,
  deviations: Deviations = {},
) {
  const webauthn = { rpId: 'app.example.test', rpOrigins: ['https://app.example.test'] }
  const { data, error } = await client.mfa.challenge({ factorId, webauthn })
  if (error) throw error
  const { type, credential_options: options } = data.webauthn
  const { challenge, ...publicKey } = options.publicKey
  const requested = { ...publicKey, challenge: toBase64Url(challenge) }
  if ('user' in requested) Object.assign(requested.user, { id: toBase64Url(requested.user.id) })
  const made = type === 'create' ? key.create : key.get
  const credential = { toJSON: () => made(requested as never, deviations) }
  const answer = { ...webauthn, type, credential_response: credential }
  return client.mfa.webauthn.verify({
    factorId,
    challengeId: data.id,
    webauthn: answer as never,
  })
}

describe('a security key', () => {
  it('is registered, raises the next session, and is listed', async () => {
    const { client, email } = await signedIn()
    const key = createAuthenticator()
    const { data: begun } = await client.mfa.webauthn.enroll({ friendlyName: 'key' })
    const factorId = begun?.id ?? ''

    const registered = await show(client, factorId, key)
    const next = server.client()
    await next.signInWithPassword({ email, password })
    const refused = await next.updateUser({ password: 'another horse 2' })
    const shown = await show(next, factorId, key)
    const changed = await next.updateUser({ password: 'another horse 2' })

    expect(begun).toMatchObject({ type: 'webauthn', friendly_name: 'key' })
    expect([registered.error, shown.error, changed.error]).toEqual([null, null, null])
    expect(refused).toMatchObject(rejection('insufficient_aal', 401))
    const level = await next.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect((await next.mfa.listFactors()).data?.webauthn).toMatchObject([{ id: factorId }])
  })

  it('is rejected with a code that the client knows', async () => {
    const { client } = await signedIn()
    const { data } = await client.mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' })

    const answer = await show(client, data?.id ?? '', createAuthenticator(), {
      origin: 'https://evil.example.test',
    })

    expect(answer).toMatchObject(rejection('mfa_verification_failed', 422))
  })
})

describe('an operator', () => {
  it('lists and deletes the factors of a user', async () => {
    const { userId, factorId, client } = await withStrongSession()

    const { data: before } = await server.operator().mfa.listFactors({ userId })
    const deleted = await server.operator().mfa.deleteFactor({ userId, id: factorId })
    const { data: after } = await server.operator().mfa.listFactors({ userId })
    await client.refreshSession()

    expect(before?.factors).toMatchObject([{ id: factorId, status: 'verified' }])
    expect(deleted.error).toBeNull()
    expect(after?.factors).toEqual([])
    const level = await client.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data?.currentLevel).toBe('aal1')
  })
})

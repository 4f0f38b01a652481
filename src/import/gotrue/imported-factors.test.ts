import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { securityKeysOf } from '../../../test/support/security-keys.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { openFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { userHandleOf } from '../../credentials/webauthn/ceremony-options.ts'
import type { OutgoingSms } from '../../platform/config/sections/sms.ts'

let source: TestDatabase
let auth: TestAuth
let factors: SecondFactors
const texts: OutgoingSms[] = []

const key = createAuthenticator()
const passkey = createAuthenticator('EdDSA')
const keyId = 'f0000000-0000-4000-8000-000000000116'
const passkeyId = 'e0000000-0000-4000-8000-000000000016'
const quin = 'a0000000-0000-4000-8000-000000000016'

/** Adds a security key and a passkey to GoTrue's tables. */
async function giveCredentials() {
  const base64 = (text: string) => Buffer.from(text, 'base64url').toString('base64')
  const credential = {
    id: base64(key.credentialId),
    publicKey: base64(key.publicKey),
    attestationType: 'basic_full',
    attestationFormat: 'packed',
    transport: ['usb'],
    flags: { userPresent: true, userVerified: false, backupEligible: false, backupState: false },
    authenticator: { signCount: 4, cloneWarning: false, attachment: 'cross-platform' },
  }
  await runSql(source.url, {
    text: 'update auth.mfa_factors set web_authn_credential = $1 where id = $2',
    values: [JSON.stringify(credential), keyId],
  })
  await runSql(source.url, {
    text: `update auth.webauthn_credentials set credential_id = decode($1, 'hex'), public_key = decode($2, 'hex')`,
    values: [passkey.credentialId, passkey.publicKey].map((text) =>
      Buffer.from(text, 'base64url').toString('hex'),
    ),
  })
  // Registers the passkey at the source.
  passkey.create({ challenge: '', rp: { id: '' }, user: { id: userHandleOf(quin) } })
}

beforeAll(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  await giveCredentials()
  auth = await startTestAuth({
    siteUrl: 'https://app.example.test',
    passkeys: { enabled: true },
    sms: { send: (sent) => void texts.push(sent), autoconfirm: true },
    mfa: {
      phone: { enrollEnabled: true, verifyEnabled: true },
      webAuthn: { verifyEnabled: true },
    },
  })
  factors = secondFactors(auth)
  await importFrom(source.url, auth)
})
afterAll(async () => {
  await auth?.close()
  await source?.drop()
})

const signIn = async (credentials: { email: string } | { phone: string }) => {
  const password = { password: testPassword }
  const { body } = await auth.post('/token?grant_type=password', { ...credentials, ...password })
  return { token: String(body.access_token), factors: body.user.factors }
}

const levelOf = async (accessToken: string) => (await auth.auth.verifyToken(accessToken)).aal

describe('an imported app', () => {
  it.each([
    ['whose secret was plain', 'ada', '01', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
    ['whose secret was encrypted', 'mia', '13', 'KRUGKIDROVUWG2ZAMJZG653OEBTG66BA'],
  ])('%s raises a session by its code', async (_how, name, number, secret) => {
    const id = `f0000000-0000-4000-8000-0000000000${number}`
    const signedIn = await signIn({ email: `${name}@example.test` })

    const proved = await factors.prove(signedIn.token, { id, secret })

    expect(signedIn.factors).toMatchObject([{ id, factor_type: 'totp', status: 'verified' }])
    expect(await levelOf(signedIn.token)).toBe('aal1')
    expect(proved.status).toBe(200)
    expect(await levelOf(proved.body.access_token)).toBe('aal2')
  })

  it('has its secret sealed with a root key of Latchkey', async () => {
    const { roots } = await auth.deps()
    const id = 'f0000000-0000-4000-8000-000000000001'
    const [row] = await auth.rows<{ secret: string }>(
      'select secret from auth.factors where id = $1',
      [id],
    )

    expect(row?.secret).not.toContain('JBSWY3DP')
    expect(openFactorSecret(roots, id, row?.secret ?? '')).toBe('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
  })

  it('protects the password: a session without it may not change the password', async () => {
    const { token } = await signIn({ email: 'ada@example.test' })

    const { body } = await auth.put('/user', { password: 'another horse' }, { token })

    expect(body.error_code).toBe('insufficient_aal')
  })

  it('counts as verified in a session that verified it at the source, with the time of that', async () => {
    const { body } = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: 'adathird2222',
    })
    const change = { data: { theme: 'dark' }, password: 'another horse' }
    const { body: refused } = await auth.put('/user', change, { token: body.access_token })

    expect(await levelOf(body.access_token)).toBe('aal2')
    expect(refused).toMatchObject({ error_code: 'reauthentication_needed', step_up: 'verify' })
  })
})

it('an imported phone receives a code, which raises a session', async () => {
  const { token } = await signIn({ phone: '4915112340005' })
  const id = 'f0000000-0000-4000-8000-000000000005'

  const challenge = await factors.challenge(token, id)
  await (await auth.deps()).outbox.settled()
  const answered = await factors.answer(token, id, challenge, texts[0]?.code ?? '')

  expect(texts).toMatchObject([{ to: '+4915112340005' }])
  expect(await levelOf(answered.body.access_token)).toBe('aal2')
})

describe('an imported security key', () => {
  it('is stored with its credential, and unverified factors are not', async () => {
    const { factors: listed } = await signIn({ email: 'quin@example.test' })
    const [row] = await auth.rows(`select * from auth.factors where factor_type = 'webauthn'`)

    expect(listed).toMatchObject([{ factor_type: 'webauthn', friendly_name: 'Key' }])
    expect(row).toMatchObject({
      web_authn_aaguid: 'f8a011f3-8c0a-4d15-8006-17111f9edc7d',
      secret: null,
      credential_id: key.credentialId,
      public_key: key.publicKey,
      sign_count: '4',
      transports: ['usb'],
      attestation_format: 'packed',
      backup_eligible: false,
    })
  })

  it('raises a session, and its counter is stored', async () => {
    const { token } = await signIn({ email: 'quin@example.test' })
    const keys = securityKeysOf(auth)

    const copied = await keys.prove(token, keyId, key, { signCount: 4 })
    const proved = await keys.prove(token, keyId, key, { signCount: 5 })

    expect([copied.status, proved.status]).toEqual([422, 200])
    expect(await levelOf(proved.body.access_token)).toBe('aal2')
    await runSql(source.url, `update auth.mfa_factors set updated_at = now() + '1 year'`)
    await importFrom(source.url, auth)
    const { token: again } = await signIn({ email: 'quin@example.test' })
    expect((await keys.prove(again, keyId, key, { signCount: 5 })).status).toBe(422)
  })
})

describe('an imported passkey', () => {
  it('signs in, with its former name and counter', async () => {
    const passkeys = passkeysOf(auth)

    const copied = await passkeys.signIn(passkey, { signCount: 3 })
    const signedIn = await passkeys.signIn(passkey, { signCount: 4 })

    expect([copied.status, signedIn.status]).toEqual([400, 200])
    expect(signedIn.body.user.email).toBe('quin@example.test')
    const listed = await auth.get('/passkeys', { token: signedIn.body.access_token })
    expect(listed.body).toMatchObject([{ id: passkeyId, friendly_name: 'Phone' }])
  })

  it('that was removed here is not imported again, and one that was removed at the source is removed', async () => {
    const { token } = await signIn({ email: 'quin@example.test' })
    const proved = await securityKeysOf(auth).prove(token, keyId, key, { signCount: 9 })
    const url = `/passkeys/${passkeyId}`
    const removed = await auth.request('DELETE', url, { token: proved.body.access_token })
    const count = async () =>
      (await auth.rows('select from auth.passkeys where user_id = $1', [quin])).length
    await runSql(source.url, `update auth.webauthn_credentials set friendly_name = 'Renamed'`)
    await importFrom(source.url, auth)
    const after = await count()

    expect([removed.status, after]).toEqual([204, 0])
    await auth.rows('delete from auth.imported_passkeys')
    await runSql(source.url, `update auth.webauthn_credentials set friendly_name = 'Back'`)
    await importFrom(source.url, auth)
    expect(await count()).toBe(1)
    await runSql(source.url, 'delete from auth.webauthn_credentials')
    await importFrom(source.url, auth)
    expect(await count()).toBe(0)
  })
})

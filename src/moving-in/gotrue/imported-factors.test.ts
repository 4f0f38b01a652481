import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../test/support/database.ts'
import { importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { OutgoingSms } from '../../config/sections/sms.ts'
import { openFactorSecret } from '../../factors/factor-secret.ts'

let source: TestDatabase
let auth: TestAuth
let factors: SecondFactors
const texts: OutgoingSms[] = []

beforeAll(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  auth = await startTestAuth({
    sms: { send: (sent) => void texts.push(sent), autoconfirm: true },
    mfa: { phone: { enrollEnabled: true, verifyEnabled: true } },
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
  ])('%s raises a session by the code that it shows', async (_how, name, number, secret) => {
    const id = `f0000000-0000-4000-8000-0000000000${number}`
    const signedIn = await signIn({ email: `${name}@example.test` })

    const proved = await factors.prove(signedIn.token, { id, secret })

    expect(signedIn.factors).toMatchObject([{ id, factor_type: 'totp', status: 'verified' }])
    expect(await levelOf(signedIn.token)).toBe('aal1')
    expect(proved.status).toBe(200)
    expect(await levelOf(proved.body.access_token)).toBe('aal2')
  })

  it('has its secret sealed under a key of ours', async () => {
    const { roots } = await auth.deps()
    const id = 'f0000000-0000-4000-8000-000000000001'
    const [row] = await auth.rows<{ secret: string }>(
      'select secret from auth.factors where id = $1',
      [id],
    )

    expect(row?.secret).not.toContain('JBSWY3DP')
    expect(openFactorSecret(roots, id, row?.secret ?? '')).toBe('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
  })

  it('guards the password: a session that did not show it may not change it', async () => {
    const { token } = await signIn({ email: 'ada@example.test' })

    const { body } = await auth.put('/user', { password: 'another horse' }, { token })

    expect(body.error_code).toBe('insufficient_aal')
  })

  it('need not be shown again by a session that had shown it there', async () => {
    const { body } = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: 'adathird2222',
    })
    const change = { data: { theme: 'dark' }, password: 'another horse' }
    const changed = await auth.put('/user', change, { token: body.access_token })

    expect(await levelOf(body.access_token)).toBe('aal2')
    expect(changed.status).toBe(200)
  })
})

it('an imported phone is sent a code, which raises a session', async () => {
  const { token } = await signIn({ phone: '4915112340005' })
  const id = 'f0000000-0000-4000-8000-000000000005'

  const challenge = await factors.challenge(token, id)
  await (await auth.deps()).outbox.settled()
  const answered = await factors.answer(token, id, challenge, texts[0]?.code ?? '')

  expect(texts).toMatchObject([{ to: '+4915112340005' }])
  expect(await levelOf(answered.body.access_token)).toBe('aal2')
})

it('an imported security key is there with its credential, and unproved factors are not', async () => {
  const { factors: listed } = await signIn({ email: 'quin@example.test' })
  const [key] = await auth.rows(`select * from auth.factors where factor_type = 'webauthn'`)

  expect(listed).toMatchObject([{ factor_type: 'webauthn', friendly_name: 'Key' }])
  expect(key).toMatchObject({
    web_authn_aaguid: 'f8a011f3-8c0a-4d15-8006-17111f9edc7d',
    secret: null,
    web_authn_credential: { id: 'a2V5', authenticator: { signCount: 4 } },
  })
})

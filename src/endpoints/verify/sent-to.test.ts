import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimsIn, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { isApartFromMail, type StoredMethodReference } from '../../accounts/sessions/assurance.ts'

let auth: TestAuth
const codes = new Map<string, string>()

beforeAll(async () => {
  auth = await startTestAuth({
    email: { send: ({ to, text }) => void codes.set(to, text.match(/\b\d{6}\b/)?.[0] ?? '') },
    sms: { send: ({ to, code }) => void codes.set(to.replace('+', ''), code ?? '') },
  })
})
afterAll(() => auth.close())

/** Signs in with a code. Returns the tokens, and `amr` as the session stores it. */
async function signIn(kind: 'email' | 'phone', address: string) {
  await auth.post('/otp', { [kind]: address })
  await (await auth.deps()).outbox.settled()
  const type = kind === 'email' ? 'email' : 'sms'
  const token = codes.get(address)
  const { body } = await auth.post('/verify', { type, [kind]: address, token })
  const id = claimsIn(body.access_token).session_id
  const [row] = await auth.rows<{ amr: StoredMethodReference[] }>(
    'select amr from auth.sessions where id = $1',
    [id],
  )
  return { ...body, amr: row?.amr ?? [] }
}

describe('a session by a code', () => {
  const timestamp = expect.any(Number)

  it('states that the code was sent to a phone, and its tokens do not', async () => {
    const phone = '4915550000007'
    await auth.auth.admin.createUser({ phone, phoneConfirm: true })

    const { amr, access_token: token, refresh_token: refreshToken } = await signIn('phone', phone)
    const { body: renewed } = await secondFactors(auth).refresh(refreshToken)

    expect(amr).toEqual([{ method: 'otp', timestamp, sentTo: 'phone' }])
    for (const issued of [token, renewed.access_token]) {
      expect(claimsIn(issued).amr).toEqual([{ method: 'otp', timestamp }])
    }
  })

  it('states no recipient of a code by mail', async () => {
    const { email } = await auth.given.user()

    expect((await signIn('email', email ?? '')).amr).toEqual([{ method: 'otp', timestamp }])
  })
})

describe('isApartFromMail', () => {
  const entry = (method: StoredMethodReference['method'], sentTo?: 'phone') => ({
    method,
    timestamp: 1,
    ...(sentTo && { sentTo }),
  })

  it.each([
    ['a password', [entry('password')], true],
    ['a passkey, and a second factor since', [entry('totp'), entry('passkey')], true],
    ['a wallet, and a trusted device', [entry('trusted_device'), entry('web3')], true],
    ['a code to a phone', [entry('otp', 'phone')], true],
    ['a code without a stated recipient', [entry('otp')], false],
    ['a link', [entry('magiclink')], false],
    ['a recovery', [entry('recovery')], false],
    ['an invitation', [entry('invite')], false],
    ['a provider', [entry('oauth')], false],
    ['a password beside a link', [entry('password'), entry('magiclink')], false],
    ['only second factors', [entry('totp')], false],
    ['no method', [], false],
  ] as const)('decides about %s', (_first, amr, isApart) => {
    expect(isApartFromMail(amr)).toBe(isApart)
  })
})

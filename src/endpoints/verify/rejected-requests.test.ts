import { afterEach, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import type { Answer } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

// An attacker registers an address, and spends the limits that all clients share, so that requests
// of the owner are rejected. The owner then uses the only message: that of the attacker's sign-up.

let auth: MessagingAuth
afterEach(() => auth.close())

const attackersPassword = 'the password of Eve'
const ownersPassword = 'the password of Ada'
const owner = '203.0.113.50'

const start = (config: AuthConfig = {}) =>
  startMessagingAuth({
    anonymousUsers: { enabled: true },
    email: { autoconfirm: false, maxFrequencySeconds: 900 },
    sms: { autoconfirm: false, maxFrequencySeconds: 60 },
    ...config,
  }).then((started) => {
    auth = started
  })

type Address = { email: string } | { phone: string }
const email = { email: 'wanted@example.test' }
const phone = { phone: '4915700000000' }

const signUpOfAttacker = (address: Address, ip?: string) =>
  auth.post(
    '/signup',
    { ...address, password: attackersPassword, data: { name: 'Eve' } },
    { ip: ip ?? '192.0.2.66' },
  )

/** Two clients in each of two networks use up the messages of all clients to one address. */
async function fillInterval(address: Address): Promise<void> {
  for (const ip of ['192.0.2.1', '192.0.2.2', '198.51.100.1', '198.51.100.2']) {
    expect((await signUpOfAttacker(address, ip)).status).toBe(200)
    auth.clock.advance(1)
  }
}

type OwnersRequest = (address: Address, ip?: string) => Promise<Answer>

const requests: Record<string, OwnersRequest> = {
  'POST /signup': (address, ip = owner) =>
    auth.post('/signup', { ...address, password: ownersPassword }, { ip }),
  'POST /otp': (address, ip = owner) => auth.post('/otp', address, { ip }),
  'POST /resend': (address, ip = owner) =>
    auth.post('/resend', { type: 'email' in address ? 'signup' : 'sms', ...address }, { ip }),
  'PUT /user': async (address, ip = owner) => {
    const { body } = await auth.post('/signup', {}, { ip })
    return auth.put('/user', address, { token: body.access_token, ip })
  },
}

/** Uses the attacker's last message as the owner, and returns what remains of the attacker's data. */
async function confirmAsOwner(address: Address) {
  const [kind, value] = Object.entries(address)[0] as ['email' | 'phone', string]
  const { code: token } = await auth.messageTo(value)
  const type = kind === 'email' ? 'signup' : 'sms'
  const verified = await auth.post('/verify', { type, ...address, token }, { ip: owner })
  const signIn = await auth.post('/token?grant_type=password', {
    ...address,
    password: attackersPassword,
  })
  return {
    confirmed: verified.status,
    signsIn: signIn.status === 200,
    name: verified.body.user?.user_metadata?.name ?? null,
  }
}

const nothingKept = { confirmed: 200, signsIn: false, name: null }

describe('S110: a request of the owner competes where a limit of all clients rejects it', () => {
  it.each([
    ['POST /signup', email],
    ['POST /resend', email],
    ['POST /signup', phone],
    ['POST /otp', phone],
    ['POST /resend', phone],
  ] as const)('the messages to one address: %s %o', async (name, address) => {
    await start()
    await fillInterval(address)

    const rejected = await requests[name]?.(address)

    expect(rejected?.status).toBe(429)
    expect(await confirmAsOwner(address)).toEqual(nothingKept)
  })

  it.each([
    ['POST /signup', email],
    ['POST /otp', email],
    ['POST /resend', email],
    ['POST /signup', phone],
    ['PUT /user', email],
  ] as const)('the budget of messages: %s %o', async (name, address) => {
    await start({
      rateLimits: { emailSent: '1/1h', smsSent: '1/1h' },
    })
    expect((await signUpOfAttacker(address)).status).toBe(200)

    const rejected = await requests[name]?.(address)

    expect(rejected?.status).toBe(429)
    expect(await confirmAsOwner(address)).toEqual(nothingKept)
  })

  it('the interval of clients that cannot be distinguished', async () => {
    await start()
    const api = auth.auth.api
    await api.signUp({ ...email, password: attackersPassword, data: { name: 'Eve' } })

    const rejected = api.signUp({ ...email, password: ownersPassword })

    await expect(rejected).rejects.toMatchObject({ code: 'over_email_send_rate_limit' })
    expect(await confirmAsOwner(email)).toEqual(nothingKept)
  })
})

describe('a request that the interval of its own client rejects', () => {
  it.each(['POST /signup', 'POST /resend'])('changes nothing: %s', async (name) => {
    await start()
    const ip = '192.0.2.66'
    await signUpOfAttacker(email, ip)
    const stored = () =>
      auth.rows('select registered_by, version from auth.users where email = $1', [email.email])
    const before = await stored()

    const answer = await requests[name]?.(email, ip)

    expect(answer?.status).toBe(429)
    expect(await stored()).toEqual(before)
  })

  it('does not compete where the same user repeated the sign-up in another network', async () => {
    await start()
    await signUpOfAttacker(email, '192.0.2.66')
    await signUpOfAttacker(email, '198.51.100.66')

    const rejected = await signUpOfAttacker(email, '198.51.100.66')

    expect(rejected.status).toBe(429)
    expect(await confirmAsOwner(email)).toEqual({ confirmed: 200, signsIn: true, name: 'Eve' })
  })

  it('does not compete where a limit of all clients rejects it, too', async () => {
    await start()
    await fillInterval(email)

    const rejected = await signUpOfAttacker(email, '198.51.100.2')

    expect(rejected.status).toBe(429)
    expect(await confirmAsOwner(email)).toEqual({ confirmed: 200, signsIn: true, name: 'Eve' })
  })
})

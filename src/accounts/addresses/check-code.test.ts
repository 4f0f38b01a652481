import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { temporaryRejection } from '../../delivery/carriers/carrier.ts'

// Carriers that generate and check codes, such as Twilio Verify.

let auth: TestAuth
let requested: string[]
/** The numbers whose code the carrier has approved, and deleted. */
const approved = new Set<string>()

beforeAll(async () => {
  auth = await startTestAuth({
    sms: { autoconfirm: false, maxFrequencySeconds: 0, send: async () => {} },
    security: { passwordUpdate: { requireReauthentication: true } },
  })
  const deps = await auth.deps()
  deps.checkSmsCode = async (phone, code) => {
    requested.push(phone)
    if (code === 'down') throw temporaryRejection('busy')
    if (code !== 'once') return code === 'theirs'
    const isFirst = !approved.has(phone)
    approved.add(phone)
    return isFirst
  }
})
afterAll(() => auth.close())

let made = 0
const newPhone = () => `49165${String(++made).padStart(8, '0')}`
const enter = (phone: string, token: string, type = 'sms', from = {}) => {
  requested = []
  return auth.post('/verify', { type, token, phone }, from)
}

/** Creates a user with this number pending. */
async function waitingFor(phone: string, from = {}) {
  const { accessToken: token, user } = await auth.given.session()
  await auth.put('/user', { phone }, { token, ...from })
  return user.id
}

describe('a code that the carrier checks', () => {
  it('signs in when the carrier accepts it', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone })

    const wrong = await enter(phone, 'another')
    const right = await enter(phone, 'theirs')

    expect([wrong.status, right.status]).toEqual([403, 200])
    expect(requested).toEqual([phone])
  })

  it('is accepted for ten minutes, in which the carrier decides', async () => {
    const [early, late] = [newPhone(), newPhone()]
    await auth.post('/otp', { phone: early })
    await auth.post('/otp', { phone: late })

    auth.clock.advance(590)
    expect((await enter(early, 'theirs')).status).toBe(200)
    auth.clock.advance(20)
    expect((await enter(late, 'theirs')).status).toBe(403)
  })

  it('is revoked by five wrong ones, also if the carrier would accept it (rule 8)', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone })
    for (let index = 0; index < 5; index++) await enter(phone, 'another')

    expect((await enter(phone, 'theirs')).status).toBe(403)
  })

  it('is also checked for an unknown number, and rejected', async () => {
    const phone = newPhone()

    expect((await enter(phone, 'theirs')).status).toBe(403)
    expect(requested).toEqual([phone])
  })

  it('proves nothing when it matches several users with the same pending number', async () => {
    const [phone, wanted] = [newPhone(), newPhone()]
    const alone = await waitingFor(phone)
    await waitingFor(wanted)
    await waitingFor(wanted)

    const [sure, unsure] = [
      await enter(phone, 'theirs', 'phone_change'),
      await enter(wanted, 'theirs', 'phone_change'),
    ]

    expect([sure.status, sure.body.user.id]).toEqual([200, alone])
    expect([unsure.status, unsure.body.error_code]).toEqual([403, 'otp_expired'])
  })

  it('is for the requester in this network, also if users in other networks requested the number', async () => {
    const phone = newPhone()
    const ada = { ip: '203.0.113.10' }
    await waitingFor(phone, { ip: '198.51.100.66' })
    const owner = await waitingFor(phone, ada)
    await waitingFor(phone, { ip: '198.51.100.67' })

    const elsewhere = await enter(phone, 'theirs', 'phone_change', { ip: '192.0.2.1' })
    const own = await enter(phone, 'theirs', 'phone_change', ada)

    expect([elsewhere.status, elsewhere.body.error_code]).toEqual([403, 'otp_expired'])
    expect([own.status, own.body.user?.id]).toEqual([200, owner])
  })

  it('gets 503 with Retry-After when the carrier cannot check it', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone })

    const { status, body, headers } = await enter(phone, 'down')

    expect([status, body.error_code, headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ])
    expect((await enter(phone, 'theirs')).status).toBe(200)
  })
})

describe('a code that the carrier approves once, with a password', () => {
  const submit = (phone: string, token: string, more = {}) =>
    auth.post('/verify', { type: 'sms', phone, token, ...more })
  const password = 'a brand new password'

  it('stays valid where the password is rejected, and is then accepted once', async () => {
    const phone = newPhone()
    await auth.auth.admin.createUser({ phone, phoneConfirm: true })
    await auth.post('/otp', { phone })

    const wrong = await submit(phone, 'another', { password })
    const rejected = await submit(phone, 'once', { password })
    const again = await submit(phone, 'once', { password })
    const other = await submit(phone, 'another')
    const accepted = await submit(phone, 'once')
    const late = await submit(phone, 'once')

    const answers = [wrong, rejected, again, other, accepted, late]
    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [403, 'otp_expired'],
      [422, 'validation_failed'],
      [422, 'validation_failed'],
      [403, 'otp_expired'],
      [200, undefined],
      [403, 'otp_expired'],
    ])
  })

  it('is checked by the carrier once, also where the password is rejected', async () => {
    const phone = newPhone()
    await auth.auth.admin.createUser({ phone, phoneConfirm: true })
    await auth.post('/otp', { phone })
    await submit(phone, 'once', { password })
    const deps = await auth.deps()
    const { checkSmsCode } = deps
    deps.checkSmsCode = () => Promise.reject(temporaryRejection('busy'))

    const rejected = await submit(phone, 'once', { password })
    const accepted = await submit(phone, 'once')
    deps.checkSmsCode = checkSmsCode

    expect([rejected.status, accepted.status]).toEqual([422, 200])
  })

  it('is consumed where it sets the password', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone })

    const signedUp = await submit(phone, 'once', { password })
    const late = await submit(phone, 'once')

    expect([signedUp.status, late.status]).toEqual([200, 403])
    const own = await auth.post('/token?grant_type=password', { phone, password })
    expect(own.status).toBe(200)
  })
})

describe('a nonce that the carrier checks', () => {
  /** Returns a function that changes the password of a user whose only address is a phone. */
  const reauthenticated = async () => {
    requested = []
    const phone = newPhone()
    await auth.auth.admin.createUser({ phone, phoneConfirm: true, password: testPassword })
    const { session } = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
    const token = session.accessToken
    await auth.get('/reauthenticate', { token })
    const change = async (nonce: string, password = 'a brand new password') => {
      const answer = await auth.put('/user', { password, nonce }, { token })
      return [answer.status, answer.body.error_code]
    }
    return { phone, change }
  }
  const notValid = [422, 'reauthentication_not_valid']

  it('permits one change of password when the carrier accepts it', async () => {
    const { phone, change } = await reauthenticated()

    const answers = [await change('another'), await change('theirs'), await change('theirs')]

    expect(answers).toEqual([notValid, [200, undefined], notValid])
    expect(requested).toEqual([phone, phone])
  })

  it('is rejected with 503 while the carrier does not respond, and stays valid', async () => {
    const { change } = await reauthenticated()

    expect(await change('down')).toEqual([503, 'service_unavailable'])
    expect(await change('theirs')).toEqual([200, undefined])
  })

  it('stays valid where the password is rejected, and is then accepted once', async () => {
    const { change } = await reauthenticated()

    const answers = [
      await change('once', testPassword),
      await change('another'),
      await change('once'),
      await change('once'),
    ]

    expect(answers).toEqual([[422, 'same_password'], notValid, [200, undefined], notValid])
  })

  it('is revoked by five wrong ones, also if the carrier would accept it', async () => {
    const { change } = await reauthenticated()
    for (let index = 0; index < 5; index++) await change('another')

    expect(await change('theirs')).toEqual(notValid)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MailResolver } from '../src/delivery/mail/mail-exchangers.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

// Undeliverable addresses, at each endpoint that accepts a new one or sends to one.

const noSuchDomain = async (): Promise<never> => {
  throw Object.assign(new Error('no such domain'), { code: 'ENOTFOUND' })
}
const resolver: MailResolver = {
  resolveMx: async (domain) =>
    domain === 'firm.de' ? [{ exchange: 'mx.firm.de' }] : noSuchDomain(),
  resolve4: noSuchDomain,
  resolve6: noSuchDomain,
}

let waiting: TestAuth
let trusting: TestAuth
beforeAll(async () => {
  const validation = { extended: true, blockedDomains: ['bin.firm.de'] }
  const email = { maxFrequencySeconds: 0, validation }
  const hooks = { sendEmail: async () => {} }
  waiting = await startTestAuth({ email: { ...email, autoconfirm: false }, hooks }, { resolver })
  trusting = await startTestAuth({ email: { ...email, autoconfirm: true } }, { resolver })
  // Created by an operator, for whom addresses are not checked.
  await waiting.given.user('known@gone.de')
})
afterAll(() => Promise.all([waiting.close(), trusting.close()]))

type Ask = (email: string) => Promise<{ status: number; body: unknown }>

const entryPoints: Record<string, Ask> = {
  'POST /signup': (email) => waiting.post('/signup', { email, password: testPassword }),
  'POST /signup with autoconfirm': (email) =>
    trusting.post('/signup', { email, password: testPassword }),
  'POST /otp': (email) => waiting.post('/otp', { email }),
  'POST /magiclink': (email) => waiting.post('/magiclink', { email }),
  'POST /recover': (email) => waiting.post('/recover', { email }),
  'POST /resend': (email) => waiting.post('/resend', { type: 'signup', email }),
  'POST /invite': async (email) =>
    waiting.post('/invite', { email }, { token: await waiting.given.serviceToken() }),
  'POST /admin/generate_link with a mail': async (email) =>
    waiting.post(
      '/admin/generate_link',
      { type: 'magiclink', email, send_email: true },
      { token: await waiting.given.serviceToken() },
    ),
  'PUT /user': async (email) => {
    const { accessToken } = await waiting.given.session()
    return waiting.put('/user', { email }, { token: accessToken })
  },
}

describe.each(Object.entries(entryPoints))('%s', (name, ask) => {
  it('rejects undeliverable addresses, in one form', async () => {
    for (const email of ['new@gone.de', 'known@gone.de', 'new@bin.firm.de', 'new@example.com']) {
      const { status, body } = await ask(email)
      expect([status, body]).toMatchObject([
        400,
        { error_code: 'email_address_invalid', msg: 'email: Email address is invalid' },
      ])
    }
  })

  it('accepts any other', async () => {
    const { body } = await ask(`${name.replaceAll(/\W/g, '')}@firm.de`)
    expect(body).not.toMatchObject({ error_code: 'email_address_invalid' })
  })
})

it('a rejected address causes no look-up of a user, and is not counted', async () => {
  const { database } = await waiting.deps()
  const query = database.sql.query
  const names: string[] = []
  database.sql.query = (one, ...rest) => {
    names.push(one.name)
    return query(one, ...rest)
  }
  await waiting.post('/recover', { email: 'known@gone.de' })
  await waiting.post('/recover', { email: 'new@gone.de' })
  database.sql.query = query
  expect(names).toEqual([])
})

it('signs in a user who already has such an address', async () => {
  const credentials = { email: 'known@gone.de', password: testPassword }
  expect((await waiting.post('/token?grant_type=password', credentials)).status).toBe(200)
})

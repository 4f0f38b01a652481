import { afterEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import type { OutgoingMail } from '../../platform/config/sections/email.ts'
import type { OutgoingSms } from '../../platform/config/sections/sms.ts'
import { openCarriers } from './open-carriers.ts'

// The effects of a request and the configuration on a message, from the endpoint to the carrier.

let auth: TestAuth
let mails: OutgoingMail[]
let texts: OutgoingSms[]
afterEach(() => auth.close())

async function start({ email, ...config }: AuthConfig = {}) {
  mails = []
  texts = []
  auth = await startTestAuth({
    externalUrl: 'https://auth.example.test',
    email: {
      autoconfirm: false,
      maxFrequencySeconds: 0,
      send: (mail) => void mails.push(mail),
      ...email,
    },
    sms: { maxFrequencySeconds: 0, send: (sms) => void texts.push(sms) },
    ...config,
  })
}

async function recover(email: string, headers = {}): Promise<OutgoingMail> {
  await auth.post('/recover', { email }, { headers })
  await (await auth.deps()).outbox.settled()
  const mail = mails.findLast(({ kind, to }) => kind === 'recovery' && to === email)
  if (!mail) throw new Error('no mail arrived')
  return mail
}

const linkIn = ({ text }: OutgoingMail): URL =>
  new URL(/https:\/\/\S+\?token=\S+/.exec(text)?.[0] ?? '')

describe('the language of a mail', () => {
  it.each([
    [{}, { 'accept-language': 'nl, fr;q=0.8, de;q=0.9' }, 'de'],
    [{ locale: 'fr-CH' }, { 'accept-language': 'de' }, 'fr'],
    [{ locale: 7 }, {}, 'en'],
  ])('of a user with %j whose client sends %j is %s', async (userMetadata, headers, language) => {
    await start()
    const { email } = await auth.auth.admin.createUser({
      email: 'ada@example.test',
      emailConfirm: true,
      userMetadata,
    })

    expect((await recover(email ?? '', headers)).html).toContain(`lang="${language}"`)
  })
})

describe('the link of a mail', () => {
  it('leads to the path of its kind, on a listed host that a proxy names', async () => {
    await start({
      email: { externalHosts: ['eu.example.test'], urlPaths: { recovery: '/reset' } },
    })
    const { email } = await auth.given.user()

    const mail = await recover(email ?? '', { 'x-forwarded-host': 'eu.example.test' })

    expect(linkIn(mail).origin + linkIn(mail).pathname).toBe('https://eu.example.test/reset')
  })

  it.each([
    'x-forwarded-host',
    'x-forwarded-server',
    'x-host',
    'x-original-host',
    'forwarded',
    'x-http-host-override',
    'x-forwarded-proto',
    'x-original-url',
    'x-rewrite-url',
    'x-forwarded-prefix',
    'x-forwarded-port',
    'host',
  ])('T20: leads to the configured host whatever %s contains', async (header) => {
    await start({ email: { externalHosts: ['eu.example.test'] } })
    const { email } = await auth.given.user()

    const mail = await recover(email ?? '', { [header]: 'evil.test' })

    expect(linkIn(mail).origin).toBe('https://auth.example.test')
    expect(mail.html).not.toContain('evil.test')
  })

  it('is not mailed for a target that is rejected', async () => {
    await start({ redirects: { onDenied: 'reject' } })
    const { email } = await auth.given.user()

    const { status, body } = await auth.post('/recover?redirect_to=https://evil.test', { email })
    await (await auth.deps()).outbox.settled()

    expect([status, body.error_code, mails]).toEqual([400, 'validation_failed', []])
  })
})

describe('codes by SMS', () => {
  const warnings = () => auth.log.filter(({ message }) => message.includes('toll fraud'))
  const ask = async (count: number, use: boolean) => {
    for (let index = 0; index < count; index += 1) {
      const phone = `4917${use ? 1 : 2}${String(index).padStart(7, '0')}`
      await auth.post('/otp', { phone })
      await (await auth.deps()).outbox.settled()
      const token = texts.at(-1)?.code
      if (use) await auth.post('/verify', { type: 'sms', phone, token })
    }
  }

  it.each<[string, AuthConfig]>([
    ['a function', {}],
    ['a hook', { hooks: { sendSms: () => {} } }],
  ])('that nobody uses are told of, though %s sends them', async (_who, config) => {
    await start(config)

    await ask(20, false)
    auth.clock.advance(10 * 60)
    await ask(1, false)

    expect(warnings()).toHaveLength(1)
  })

  it('are not reported if they are used', async () => {
    await start()

    await ask(20, true)
    auth.clock.advance(10 * 60)
    await ask(1, true)

    expect(texts).toHaveLength(21)
    expect(warnings()).toEqual([])
  })
})

it('S130: codes that a carrier verifies wait in a queue, which rejects further ones', async () => {
  await start({
    sms: {
      provider: 'twilio_verify',
      twilioVerify: { accountSid: 'AC1', authToken: 't0ken', messageServiceSid: 'VA1' },
    },
  } as AuthConfig)
  const deps = await auth.deps()
  let places = 0
  const full = new Error('the queue is full')
  const { checkSmsCode } = openCarriers({
    ...deps,
    codeCheckQueue: async () => {
      places += 1
      throw full
    },
  })

  await expect(checkSmsCode?.('4915550100', '007314')).rejects.toBe(full)
  expect(places).toBe(1)
})

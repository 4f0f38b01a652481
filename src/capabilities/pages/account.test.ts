import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { givenPasskey } from '../../../test/support/passkeys.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { openCookieSessions } from '../../hosts/cookie-sessions/cookie-sessions.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    mfa: {
      phone: { enrollEnabled: true, verifyEnabled: true, maxFrequencySeconds: 0 },
      trustedDevices: { enabled: true },
    },
    passkeys: { enabled: true },
    phone: { enabled: true },
    usernames: { enabled: true, changeEnabled: true, reserved: ['admin'] },
    pages: { enabled: true, name: 'Acme' },
  })
})
afterAll(() => auth?.close())

const session = '__Host-latchkey-session'
const pending = '__Host-latchkey-pending-session'

async function signedIn(address?: string) {
  const { email } = await auth.given.user(address)
  const browser = openBrowser(auth)
  const signIn = (other = browser) =>
    other.submit('/auth/sign-in', 'password', { identifier: email ?? '', password: testPassword })
  expect((await signIn()).status).toBe(303)
  return { browser, email: email ?? '', signIn }
}

/** Enrolls an authenticator app on the page, and returns its secret. */
async function enrolled(address?: string) {
  const user = await signedIn(address)
  const shown = await user.browser.submit('/auth/account/security', 'totp', {})
  expect(shown.status).toBe(200)
  const secret = (/class="secret">([A-Z2-7 ]+)</.exec(shown.text)?.[1] ?? '').replaceAll(' ', '')
  const factor_id = /name="factor_id" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
  expect(shown.text).toMatch(/<img class="qr" alt="[^"]+"[^>]+src="data:image\/svg\+xml;base64,/)
  const { codeOf } = secondFactors(auth)
  const form_token = user.browser.tokenIn(shown.text)
  const code = codeOf({ secret })
  const verified = await user.browser.send(
    'POST',
    '/auth/account/security?do=totp-verify',
    `${new URLSearchParams({ form_token, factor_id, code })}`,
  )
  expect(verified.headers.get('location')).toBe('/auth/account/security')
  auth.clock.advance(60)
  return { ...user, secret, factor_id, code: () => codeOf({ secret }) }
}

it('reports the end of a session only after its end', async () => {
  const { browser } = await signedIn()

  const live = await browser.get('/auth/signed-out')
  const form_token = browser.tokenIn((await browser.get('/auth/account')).text)
  const form = `${new URLSearchParams({ form_token })}`
  await browser.send('POST', '/auth/signed-out?do=sign-out', form)
  const ended = await browser.get('/auth/signed-out')

  expect([live.status, live.headers.get('location')]).toEqual([303, '/auth/account'])
  expect(ended.text).toContain('<h1>You are signed out</h1>')
})

describe('the way back to the application', () => {
  const targetIn = (location: string | null) =>
    new URL(location ?? '', origin).searchParams.get('redirect_to') ?? ''
  const linkIn = (text: string) => /<a href="([^"]+)">Back to /.exec(text)?.[1]

  it('leads from the account to the page that required the step, also through the sign-in', async () => {
    const { signIn } = await signedIn()
    const browser = openBrowser(auth)
    const target = `${origin}/payouts`
    const path = `/auth/account/security?${new URLSearchParams({ redirect_to: target })}`

    const toSignIn = (await browser.get(path)).headers.get('location')
    await signIn(browser)
    const security = await browser.get(targetIn(toSignIn))

    expect(linkIn(security.text)).toBe(target)
  })

  it('leads to the site without such a page, and for one that is not permitted', async () => {
    const { browser } = await signedIn()
    const foreign = new URLSearchParams({ redirect_to: 'https://evil.example/' })

    for (const query of ['', `?${foreign}`]) {
      const { text } = await browser.get(`/auth/account/sessions${query}`)
      expect(linkIn(text), query).toBe(origin)
    }
  })
})

describe('the enrollment of an authenticator app', () => {
  const partsOf = (text: string) => ({
    image: /<img class="qr"[^>]+>/.exec(text)?.[0],
    secret: /class="secret">([A-Z2-7 ]+)</.exec(text)?.[1],
    id: /name="factor_id" value="([^"]+)"/.exec(text)?.[1] ?? '',
    enrollment: /name="enrollment" value="([^"]+)"/.exec(text)?.[1] ?? '',
  })

  it('keeps the image and the secret after a wrong code, with the error at its field', async () => {
    const { browser } = await signedIn()
    const shown = await browser.submit('/auth/account/security', 'totp', {})
    const { id, enrollment, ...first } = partsOf(shown.text)
    const verify = async (shownText: string, fields: Record<string, string>) => {
      const form = { form_token: browser.tokenIn(shownText), factor_id: id, enrollment, ...fields }
      const path = '/auth/account/security?do=totp-verify'
      return browser.send('POST', path, `${new URLSearchParams(form)}`)
    }

    const wrong = await verify(shown.text, { code: '000000' })
    const again = partsOf(wrong.text)

    expect(first.image).toMatch(/src="data:image/)
    expect([wrong.status, again.image, again.secret]).toEqual([422, first.image, first.secret])
    expect(wrong.text).toMatch(/id="totp-code-error"[^>]*>[^<]*This code is wrong/)
    const code = secondFactors(auth).codeOf({ secret: (again.secret ?? '').replaceAll(' ', '') })
    expect((await verify(wrong.text, { code })).status).toBe(303)
  })

  it('presents no secret that the service did not seal for the factor', async () => {
    const { browser } = await signedIn()
    const other = partsOf((await browser.submit('/auth/account/security', 'totp', {})).text)
    const shown = await browser.submit('/auth/account/security', 'totp', {})

    for (const enrollment of ['', 'x', other.enrollment]) {
      const fields = { form_token: browser.tokenIn(shown.text), code: '000000', enrollment }
      const wrong = await browser.send(
        'POST',
        '/auth/account/security?do=totp-verify',
        `${new URLSearchParams({ ...fields, factor_id: partsOf(shown.text).id })}`,
      )
      expect([wrong.status, partsOf(wrong.text).secret]).toEqual([422, undefined])
    }
  })
})

describe('an enrollment that a page of the application requires', () => {
  it.each([
    ['returns to the page', '&for=enroll', `${origin}/payouts`],
    [
      'stays on the account page where the user chose it',
      '',
      '/auth/account/security?redirect_to=',
    ],
  ])('%s', async (_, purpose, expected) => {
    const { browser } = await signedIn()
    const query = `redirect_to=${encodeURIComponent(`${origin}/payouts`)}`
    await browser.get(`/auth/account/security?${query}${purpose}`)
    const path = `/auth/account/security?${query}`
    const shown = await browser.submit(path, 'totp', {})
    const secret = (/class="secret">([A-Z2-7 ]+)</.exec(shown.text)?.[1] ?? '').replaceAll(' ', '')
    const fields = {
      form_token: browser.tokenIn(shown.text),
      factor_id: /name="factor_id" value="([^"]+)"/.exec(shown.text)?.[1] ?? '',
      code: secondFactors(auth).codeOf({ secret }),
    }
    const verified = await browser.send(
      'POST',
      `${path}&do=totp-verify`,
      `${new URLSearchParams(fields)}`,
    )

    expect(verified.headers.get('location')?.startsWith(expected)).toBe(true)
  })
})

describe('the page of the factors', () => {
  const security = '/auth/account/security'
  const required = 'Set up two-step sign-in to continue.'

  it('states that the page to return to requires a factor, until the user has one', async () => {
    const query = `redirect_to=${encodeURIComponent(`${origin}/payouts`)}`
    const { browser } = await signedIn()
    const first = await browser.get(`${security}?${query}&for=enroll`)
    const other = await browser.get(security)
    const again = await browser.get(`${security}?${query}`)
    const { browser: strong } = await enrolled()
    const enrolledAlready = await strong.get(`${security}?${query}&for=enroll`)

    const shown = [first, other, again, enrolledAlready].map(({ text }) => text.includes(required))
    expect(shown).toEqual([true, false, true, false])
  })

  it('states after the removal of the last factor that two-step sign-in is off', async () => {
    const { browser, factor_id } = await enrolled()

    await browser.submit(security, 'remove', { factor_id })

    const { text } = await browser.get(security)
    expect(text).toContain('Two-step sign-in is off. You now sign in without a second step.')
  })
})

describe('the second factor', () => {
  it('continues from a page of the application that leads to the sign-in, and returns to it', async () => {
    const { signIn, code, factor_id } = await enrolled()
    const browser = openBrowser(auth)
    await signIn(browser)
    const query = `redirect_to=${encodeURIComponent(`${origin}/dashboard`)}`

    const next = (await browser.get(`/auth/sign-in?${query}`)).headers.get('location') ?? ''
    const done = await browser.submit(next, 'verify', { factor_id, code: code() })

    expect(next).toBe(`/auth/second-factor?${query}`)
    expect(done.headers.get('location')).toBe(`${origin}/dashboard`)
  })

  it('that was canceled leads to the sign-in form', async () => {
    const { signIn } = await enrolled()
    const browser = openBrowser(auth)
    await signIn(browser)
    const query = `redirect_to=${encodeURIComponent(`${origin}/dashboard`)}`

    const canceled = await browser.submit(`/auth/second-factor?${query}`, 'cancel', {})
    const form = await browser.get(canceled.headers.get('location') ?? '')

    expect([form.status, browser.jar.has(pending)]).toEqual([200, false])
  })

  it('that was canceled by a session with the factor leads to the account', async () => {
    const { browser } = await enrolled()
    const query = `redirect_to=${encodeURIComponent(`${origin}/dashboard`)}`

    const { headers } = await browser.submit(`/auth/second-factor?${query}`, 'cancel', {})

    expect(headers.get('location')).toBe('/auth/account')
    expect((await browser.get('/auth/account')).status).toBe(200)
  })

  it('is required before applications see a session', async () => {
    const { email, signIn, code, factor_id } = await enrolled()
    const browser = openBrowser(auth)

    const first = await signIn(browser)
    expect(first.headers.get('location')).toBe('/auth/second-factor')
    expect([browser.jar.has(session), browser.jar.has(pending)]).toEqual([false, true])
    expect((await browser.get('/auth/account')).headers.get('location')).toMatch(/sign-in/)

    const wrong = await browser.submit('/auth/second-factor', 'verify', {
      factor_id,
      code: '000000',
    })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toMatch(/This code is wrong/)
    expect(browser.jar.has(session)).toBe(false)

    const done = await browser.submit('/auth/second-factor', 'verify', { factor_id, code: code() })
    expect(done.headers.get('location')).toBe(origin)
    expect([browser.jar.has(session), browser.jar.has(pending)]).toEqual([true, false])
    expect((await browser.get('/auth/account')).text).toContain(email)
  })

  it('is required where the cookie of a waiting session is renamed to that of a session (S114)', async () => {
    const { signIn, email } = await enrolled()
    const browser = openBrowser(auth)
    await signIn(browser)
    const value = browser.jar.get(pending) ?? ''
    const headers = { cookie: `${session}=${value}` }
    const sessions = openCookieSessions(auth.auth, { origin }, auth.clock)

    const opened = await sessions.open({ method: 'GET', headers })

    expect(opened.viewer?.claims.aal).toBe('aal1')
    await expect(opened.requireUser()).rejects.toMatchObject({
      code: 'insufficient_aal',
      details: { stepUp: 'verify' },
    })
    expect((await opened.requireUser({ aal: 1 })).user.email).toBe(email)
    browser.jar.clear()
    browser.jar.set(session, value)
    for (const path of ['/auth/sign-in', '/auth/account']) {
      const { headers: sent } = await browser.get(path)
      expect(sent.get('location')).toMatch(/^\/auth\/second-factor/)
    }
  })

  it('is replaced by a recovery code, once', async () => {
    const { browser, signIn } = await enrolled()
    const shown = await browser.submit('/auth/account/security', 'codes', {})
    const codes = [...shown.text.matchAll(/<li>([a-z0-9-]+)<\/li>/g)].map(([, one = '']) => one)
    expect(codes.length).toBeGreaterThan(5)

    const use = async (code: string) => {
      const other = openBrowser(auth)
      await signIn(other)
      return other.submit('/auth/second-factor', 'recovery', { code })
    }
    const german = openBrowser(auth)
    await signIn(german)
    const { text } = await german.get('/auth/second-factor', { 'accept-language': 'de' })
    expect(text).toContain('>Wiederherstellungscodes</a>')
    expect((await use(codes[0] ?? '')).status).toBe(303)
    expect((await use(codes[0] ?? '')).status).toBe(422)
  })

  it('keeps its recovery codes where a form that made some is submitted again', async () => {
    const { browser } = await enrolled()
    const security = '/auth/account/security'
    const codesIn = (text: string) =>
      [...text.matchAll(/<li>([a-z0-9-]+)<\/li>/g)].map(([, one = '']) => one)
    const stored = () =>
      auth.rows(`select code_hash from auth.recovery_codes where factor_id in
        (select id from auth.factors order by created_at desc limit 1) order by code_hash`)
    await browser.submit(security, 'codes', {})
    const created = await stored()
    auth.clock.advance(1)
    const reloaded = await browser.submit(security, 'codes', {})
    const { text } = await browser.get(security)

    expect([reloaded.status, codesIn(reloaded.text)]).toEqual([303, []])
    expect(text).toContain('Your recovery codes are unchanged.')
    expect(await stored()).toEqual(created)

    const replaced = /name="replaced" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const first = await browser.submit(security, 'replace-codes', { replaced })
    const other = await stored()
    const second = await browser.submit(security, 'replace-codes', { replaced })

    expect(codesIn(first.text)).toHaveLength(created.length)
    expect(other).not.toEqual(created)
    expect([second.status, await stored()]).toEqual([303, other])
  })

  it('is not required on a device that is trusted', async () => {
    const { signIn, code, factor_id } = await enrolled()
    const browser = openBrowser(auth)
    await signIn(browser)
    const trust = { factor_id, code: code(), trust: 'on' }
    expect((await browser.submit('/auth/second-factor', 'verify', trust)).status).toBe(303)
    await browser.submit('/auth/account', 'none', {})
    for (const name of [...browser.jar.keys()].filter((one) => /session|state/.test(one))) {
      browser.jar.delete(name)
    }

    const again = await signIn(browser)

    expect(again.headers.get('location')).toBe(origin)
    expect(browser.jar.has(session)).toBe(true)
    const headers = { cookie: `${session}=${browser.jar.get(session)}` }
    const sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
    const opened = await sessions.open({ method: 'GET', headers })
    expect((await opened.requireUser()).aal).toBe('aal2')
  })

  it('is proved again before a change, if the proof is old', async () => {
    const { browser, code, factor_id } = await enrolled()
    auth.clock.advance(1_200)

    const requested = await browser.submit('/auth/account/security', 'password', {
      new_password: 'another horse',
    })
    expect(requested.headers.get('location')).toMatch(/^\/auth\/second-factor\?redirect_to=/)
    const path = requested.headers.get('location') ?? ''
    const proved = await browser.submit(path, 'verify', { factor_id, code: code() })
    expect(proved.headers.get('location')).toBe(`${origin}/auth/account/security`)
    const changed = await browser.submit('/auth/account/security', 'password', {
      new_password: 'another horse',
    })
    expect(changed.headers.get('location')).toBe('/auth/account/security')
  })

  it('of a step-up is that of the signed-in user, also beside a sign-in of another user', async () => {
    const other = await enrolled()
    const user = await enrolled()
    const { browser } = user
    const again = { identifier: other.email, password: testPassword }
    const second = await browser.submit('/auth/sign-in?again=1', 'password', again)
    const secondStep = second.headers.get('location') ?? ''
    expect(secondStep).toBe('/auth/second-factor?for=sign-in')
    expect((await browser.get(secondStep)).text).toContain(other.factor_id)

    const stepUp = '/auth/second-factor'
    const { text } = await browser.get(stepUp)
    expect([text.includes(user.factor_id), text.includes(other.factor_id)]).toEqual([true, false])
    const { factor_id } = user
    const proof = { factor_id, code: user.code() }
    expect((await browser.submit(stepUp, 'verify', proof)).status).toBe(303)

    expect((await browser.get('/auth/account')).text).toContain(user.email)
    expect(browser.jar.has(pending)).toBe(false)
    expect((await browser.get(secondStep)).headers.get('location')).toBe('/auth/sign-in')
  })

  it('of a sign-in beside the session of another user replaces that session', async () => {
    const other = await enrolled()
    const { browser } = await signedIn()
    const again = { identifier: other.email, password: testPassword }
    const second = await browser.submit('/auth/sign-in?again=1', 'password', again)
    const { factor_id } = other
    const proof = { factor_id, code: other.code() }

    await browser.submit(second.headers.get('location') ?? '', 'verify', proof)

    expect((await browser.get('/auth/account')).text).toContain(other.email)
  })

  it('leads to the sign-in once the factor of a waiting sign-in is removed', async () => {
    const { email, factor_id, signIn } = await enrolled()
    const browser = openBrowser(auth)
    await signIn(browser)
    const [user] = await auth.rows('select id from auth.users where email = $1', [email])
    await auth.auth.admin.deleteFactor(String(user?.['id']), factor_id)

    const { text } = await browser.get('/auth/second-factor')

    expect(text).toContain('href="/auth/sign-in">Back to sign-in</a>')
    await signIn(browser)
    expect((await browser.get('/auth/account')).text).toContain(email)
  })

  it('of a session in cookies without it can be cancelled', async () => {
    const { email, signIn } = await enrolled()
    const browser = openBrowser(auth)
    await signIn(browser)
    browser.jar.set(session, browser.jar.get(pending) ?? '')
    browser.jar.delete(pending)

    const { headers } = await browser.submit('/auth/second-factor', 'cancel', {})

    const signInPage = await browser.get(headers.get('location') ?? '')
    expect([signInPage.status, email]).toEqual([200, email])
  })

  it.each([
    ['/auth/account', 'name', { name: 'Eve' }],
    ['/auth/account/sessions', 'others', {}],
    ['/auth/account/sessions', 'revoke', { session_id: 'of the owner' }],
  ])('is required by the action of a form, as by its page: %s %s', async (path, action, fields) => {
    const { browser: owner, signIn, email } = await enrolled()
    const session_id = owner.jar.get(session)?.split('.')[1] ?? ''
    const intruder = openBrowser(auth)
    await signIn(intruder)
    intruder.jar.set(session, intruder.jar.get(pending) ?? '')
    intruder.jar.delete(pending)
    const form_token = intruder.tokenIn((await intruder.get('/auth/second-factor')).text)
    const form = { form_token, ...fields, ...('session_id' in fields && { session_id }) }

    const answer = await intruder.send(
      'POST',
      `${path}?do=${action}`,
      `${new URLSearchParams(form)}`,
    )

    expect(answer.headers.get('location')).toMatch(/^\/auth\/second-factor/)
    const shown = await owner.get('/auth/account')
    expect(shown.status).toBe(200)
    expect(shown.text).toContain(email)
    expect(shown.text).not.toContain('Eve')
  })

  it('is cancelled with the session that waits for it', async () => {
    const { signIn } = await enrolled()
    const browser = openBrowser(auth)
    await signIn(browser)

    await browser.submit('/auth/second-factor', 'cancel', {})

    expect(browser.jar.has(pending)).toBe(false)
    expect((await browser.get('/auth/second-factor')).headers.get('location')).toMatch(/sign-in/)
  })
})

describe('the account', () => {
  it('begins its title with the result of the form, once', async () => {
    const { browser } = await signedIn()
    const titleOf = async () =>
      /<title>(.*)<\/title>/.exec((await browser.get('/auth/account')).text)?.[1]

    await browser.submit('/auth/account', 'name', { name: 'Ada Lovelace' })

    expect([await titleOf(), await titleOf()]).toEqual([
      'Saved. Your account – Acme',
      'Your account – Acme',
    ])
  })

  it.each([
    ['phone', '0171 123456'],
    ['phone', 'abc'],
    ['username', 'x'],
    ['username', 'a b'],
    ['username', 'admin'],
    ['name', 'n'.repeat(40_000)],
    ['email', 'ada@'],
  ])(
    'shows the error at the field %s, with the value, and keeps the session',
    async (field, value) => {
      const { browser } = await signedIn()
      const stored = browser.jar.get(session)

      const { status, text } = await browser.submit('/auth/account', field, { [field]: value })

      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      const [input = ''] = new RegExp(`<input[^>]* name="${field}"[^>]*>`).exec(text) ?? []
      expect(input.includes(`value="${value}"`), 'the value is kept').toBe(true)
      expect(input.includes('aria-invalid="true"'), 'the field is invalid').toBe(true)
      expect(browser.jar.get(session)).toBe(stored)
      expect((await browser.get('/auth/account')).status).toBe(200)
    },
  )

  it.each([
    ['x', 'Use 3 to 64 characters: letters or digits,'],
    ['a b', 'Use 3 to 64 characters: letters or digits,'],
    ['admin', 'This username is reserved. Choose another one.'],
  ])('states the rule that the user name %j does not meet', async (username, rule) => {
    const { browser } = await signedIn()
    const email = `${crypto.randomUUID()}@example.test`
    const account = { email, password: testPassword, username }

    const changed = await browser.submit('/auth/account', 'username', { username })
    const signedUp = await openBrowser(auth).submit('/auth/sign-up', 'password', account)

    expect(changed.text).toContain(`id="username-username-error">${rule}`)
    expect(changed.text).toMatch(/id="username-username-hint">3 to 64 letters or digits\./)
    expect(signedUp.text).toContain(`id="sign-up-username-error">${rule}`)
    expect(signedUp.text).toMatch(/id="sign-up-username-hint">Optional\. 3 to 64 letters/)
  })

  it('redirects a visitor to the sign-in and back', async () => {
    for (const path of [
      '/account',
      '/account/security',
      '/account/sessions',
      '/account/identities',
      '/account/data',
      '/new-password',
    ]) {
      const { headers } = await openBrowser(auth).get(`/auth${path}`)
      const target = new URLSearchParams({ redirect_to: `${origin}/auth${path}` })
      expect(headers.get('location')).toBe(`/auth/sign-in?${target}`)
    }
  })

  it.each([
    [
      'the current',
      (email: string, address: string) => [[email, address] as const, [address, null] as const],
    ],
    [
      'the new',
      (email: string, address: string) => [[address, email] as const, [email, null] as const],
    ],
  ])('changes the email in two steps, by %s address first', async (_, order) => {
    const { browser, email } = await signedIn()
    const address = `new.${email}`
    const answer = await browser.submit('/auth/account', 'email', { email: address })
    expect(answer.headers.get('location')).toBe('/auth/account')
    const requested = (await browser.get('/auth/account')).text
    expect(requested).toContain('We sent an email to your current and to your new address.')
    expect(requested).toContain(`both emails: the one to ${email} and the one to ${address}.`)

    for (const [to, waiting] of order(email, address)) {
      const { hash, type, redirectTo } = await auth.messageTo(to)
      const query = new URLSearchParams({ token: hash, type, redirect_to: redirectTo })
      const followed = await browser.get(`/auth/verify?${query}`)
      const { pathname, search } = new URL(followed.headers.get('location') ?? '')
      await browser.get(`${pathname}${search}`)
      const { text } = await browser.get('/auth/account')
      if (waiting === null) expect(text).not.toContain('nothing changes')
      else expect(text).toContain(`open the link that we sent to ${waiting}, too.`)
    }
    const { text } = await browser.get('/auth/account')
    expect(text).toContain(`value="${address}"`)
  })

  it('lists the sessions and signs out another one', async () => {
    const { browser, signIn } = await signedIn()
    const other = openBrowser(auth)
    await signIn(other)
    const { text } = await browser.get('/auth/account/sessions')
    const session_id = /name="session_id" value="([^"]+)"/.exec(text)?.[1] ?? ''
    expect(text).toContain('This device')

    await browser.submit('/auth/account/sessions', 'revoke', { session_id })

    expect((await other.get('/auth/account')).headers.get('location')).toMatch(/sign-in/)
    expect((await browser.get('/auth/account')).status).toBe(200)
  })

  it('exports and deletes the data of its user', async () => {
    const { browser, email } = await signedIn()
    const exported = await browser.submit('/auth/account/data', 'export', {})
    expect(exported.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(JSON.parse(exported.text).user.email).toBe(email)
    const recorded = await auth.rows('select actor_id from auth.audit_entries where action = 60')
    expect(recorded).toEqual([{ actor_id: JSON.parse(exported.text).user.id }])

    const wrong = await browser.submit('/auth/account/data', 'delete', { password: 'wrong' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toMatch(
      /id="delete-password-error"[^>]*>This is not your current password\./,
    )
    expect(wrong.text).not.toContain('class="notice error"')
    const deleted = await browser.submit('/auth/account/data', 'delete', { password: testPassword })
    expect([deleted.status, browser.jar.has(session)]).toEqual([200, false])
    expect(await auth.rows('select 1 from auth.users where email = $1', [email])).toEqual([])
  })

  describe('the deletion of an account', () => {
    const data = '/auth/account/data'
    const changed = (email: string, change: string) =>
      auth.rows(`update auth.users set ${change} where email = $1`, [email])
    const withoutAddress = 'email = null, email_confirmed_at = null'
    const inputs = (text: string) => ({
      password: text.includes('name="password"'),
      code: text.includes('do=code"'),
      delete: text.includes('do=delete"'),
    })

    it('without password and address requires a recent sign-in, and leads to it', async () => {
      const { browser, email } = await signedIn()
      await changed(email, `${withoutAddress}, password_hash = null`)
      const { text } = await browser.get(data)
      auth.clock.advance(601)

      const late = await browser.submit(data, 'delete', {})

      expect(inputs(text)).toEqual({ password: false, code: false, delete: true })
      expect(text).toContain('You may have to sign in again first')
      const back = new URLSearchParams({ redirect_to: `${origin}${data}`, again: '1' })
      expect(late.headers.get('location')).toBe(`/auth/sign-in?${back}`)
    })

    it('without password and address succeeds after a recent sign-in', async () => {
      const { browser, email } = await signedIn()
      await changed(email, `${withoutAddress}, password_hash = null`)

      const deleted = await browser.submit(data, 'delete', {})

      expect([deleted.status, browser.jar.has(session)]).toEqual([200, false])
      expect(deleted.text).toContain('Your account was deleted')
    })

    it('without an address offers no code, and leads to the addresses', async () => {
      const { browser, email } = await signedIn()
      await changed(email, withoutAddress)

      const { text } = await browser.get(data)

      expect(inputs(text)).toEqual({ password: true, code: false, delete: true })
      expect(text).toContain('<a href="/auth/account">Add or confirm an address</a>')
      const deleted = await browser.submit(data, 'delete', { password: testPassword })
      expect(deleted.status).toBe(200)
    })

    it('without a password sends a code first', async () => {
      const { browser, email } = await signedIn()
      await changed(email, 'password_hash = null')
      const { text } = await browser.get(data)

      const sent = await browser.submit(data, 'code', {})
      const { code: nonce } = await auth.messageTo(email)
      const deleted = await browser.submit(`${data}?with=code`, 'delete', { nonce })

      expect(inputs(text)).toEqual({ password: false, code: true, delete: false })
      expect(sent.headers.get('location')).toBe(`${data}?with=code`)
      expect(deleted.status).toBe(200)
    })
  })

  it('rejects forms of a session with the token of another one', async () => {
    const ada = await signedIn()
    const eve = await signedIn()
    const form_token = eve.browser.tokenIn((await eve.browser.get('/auth/account')).text)

    const answer = await ada.browser.submit('/auth/account', 'email', {
      email: 'eve@example.test',
      form_token,
    })

    expect(answer.status).toBe(403)
    expect(answer.text).not.toContain('eve@example.test')
  })

  it('shows a passkey without an own name in the language of its user', async () => {
    const { browser, email } = await signedIn()
    const [user] = await auth.rows<{ id: string }>('select id from auth.users where email = $1', [
      email,
    ])
    const id = await givenPasskey(auth, user?.id ?? '')
    const name = `update auth.passkeys set friendly_name = $2 where id = $1`
    await auth.rows(name, [id, 'Passkey'])

    const french = await browser.get('/auth/account/security?lang=fr')
    expect(french.text).toContain('<bdi>Clé d’accès</bdi>')
    await auth.rows(name, [id, 'Passkey of my phone'])
    expect((await browser.get('/auth/account/security')).text).toContain('<bdi>Passkey of my phone')
  })

  it('presents names, user agents and metadata as text', async () => {
    const markup = '"><script>alert(1)</script>'
    const { browser } = await signedIn()
    await browser.submit('/auth/account', 'name', { name: markup }, { 'user-agent': markup })
    const texts = await Promise.all(
      ['', '/security', '/sessions', '/identities', '/data'].map((path) =>
        browser.get(`/auth/account${path}`, { 'user-agent': markup }),
      ),
    )
    for (const { text, status } of texts) {
      expect(status).toBe(200)
      expect(text).not.toContain('<script>alert')
    }
    expect(texts[0]?.text).toContain('&quot;&gt;&lt;script&gt;')
  })

  it('is in the language of the browser, and in the one that the user chose', async () => {
    const browser = openBrowser(auth)
    const german = await browser.get('/auth/sign-in', { 'accept-language': 'de-AT,en;q=0.5' })
    expect(german.text).toMatch(/<html lang="de" dir="ltr">/)
    expect(german.text).toContain('Bei Acme anmelden')
    const french = await browser.get('/auth/sign-in?lang=fr', { 'accept-language': 'de' })
    expect(french.text).toContain('Connexion à Acme')
    const later = await browser.get('/auth/sign-up', { 'accept-language': 'de' })
    expect(later.text).toMatch(/<html lang="fr"/)
  })
})

describe('other settings', () => {
  const start = (config: AuthConfig) =>
    startMessagingAuth({
      siteUrl: origin,
      basePath: '/auth',
      pages: { enabled: true, name: 'Acme' },
      ...config,
    })

  it('a second factor whose device cannot be trusted is proved all the same', async () => {
    const other = await start({
      mfa: { trustedDevices: { enabled: true } },
      security: { recentProofSeconds: 0 },
    })
    const factors = secondFactors(other)
    const { email } = await other.given.user()
    const browser = openBrowser(other)
    const identifier = email ?? ''
    await browser.submit('/auth/sign-in', 'password', { identifier, password: testPassword })
    // The factor is added without a recent proof, so that it does not make this session recent.
    other.clock.advance(900)
    const shown = await browser.submit('/auth/account/security', 'totp', {})
    const secret = (/class="secret">([A-Z2-7 ]+)</.exec(shown.text)?.[1] ?? '').replaceAll(' ', '')
    const factor_id = /name="factor_id" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
    const enrollment = { form_token: browser.tokenIn(shown.text), factor_id }
    const code = () => factors.codeOf({ secret })
    await browser.send(
      'POST',
      '/auth/account/security?do=totp-verify',
      `${new URLSearchParams({ ...enrollment, code: code() })}`,
    )
    other.clock.advance(60)
    const before = browser.jar.get(session)

    const trust = { factor_id, code: code(), trust: 'on' }
    const proved = await browser.submit('/auth/second-factor', 'verify', trust)

    expect([proved.status, browser.jar.get(session) === before]).toEqual([303, false])
    expect([...browser.jar.keys()].filter((name) => name.includes('device'))).toEqual([])
    other.clock.advance(3_600)
    expect((await browser.get('/auth/account')).status).toBe(200)
    await other.close()
  })

  it('a forgotten password is replaced with the nonce, where one is required', async () => {
    const other = await start({
      security: { passwordUpdate: { requireReauthentication: true } },
    })
    const { email } = await other.given.user()
    const address = email ?? ''
    const browser = openBrowser(other)
    await browser.submit('/auth/forgot-password', 'send', { email: address })
    const { code } = await other.messageTo(address)
    const entered = await browser.submit('/auth/confirm', 'code', { code })
    expect(entered.headers.get('location')).toContain('/auth/new-password')
    const password = 'a brand new password'
    const save = (fields: object) =>
      browser.submit('/auth/new-password', 'save', { password, ...fields })

    expect((await save({})).status).toBe(400)
    const sent = await browser.submit('/auth/new-password', 'nonce', {})
    expect(sent.headers.get('location')).toContain('/auth/new-password')
    const { code: nonce } = await other.messageTo(address)
    expect((await save({ nonce })).status).toBe(303)
    const { session: opened } = await other.auth.api.signInWithPassword({
      email: address,
      password,
    })
    expect(opened.accessToken).toBeTruthy()
    await other.close()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { asOauthServer, callback, oauthOf } from '../../../test/support/oauth-clients.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { requestMethods, testPassword } from '../../../test/support/test-auth.ts'
import { destinationOf, logoOf, originText } from './oauth-application.ts'
import { createTexts } from './texts/texts.ts'

let auth: MessagingAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  const { authorizationPath: _, ...oauthServer } = { ...asOauthServer.oauthServer }
  auth = await startMessagingAuth({
    jwt: asOauthServer.jwt,
    siteUrl: origin,
    basePath: '/auth',
    oauthServer: {
      enabled: true,
      ...oauthServer,
      deviceFlow: { enabled: true },
      scopes: { 'invoice:read': 'See your invoices', 'invoice:write': 'Change your invoices' },
    },
    pages: { enabled: true, name: 'Acme' },
  })
  const request: MessagingAuth['request'] = (method, path, options) =>
    auth.request(method, `/auth${path}`, options)
  oauth = oauthOf({ ...requestMethods(request), given: auth.given })
})
afterAll(() => auth?.close())

async function signedIn() {
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  const signIn = async (identifier = email ?? '') =>
    browser.submit('/auth/sign-in', 'password', { identifier, password: testPassword })
  await signIn()
  return { browser, email: email ?? '', signIn }
}

/** Starts a request, and returns the path of the consent page. */
async function begin(parameters: Record<string, string> = {}, metadata: object = {}) {
  const client = await oauth.client({ ...metadata })
  const { headers } = await oauth.authorize(client, parameters)
  const url = new URL(headers.get('location') ?? '')
  return { client, url, path: `${url.pathname}${url.search}` }
}

const locationOf = ({ headers }: { headers: Headers }) =>
  new URL(headers.get('location') ?? '', origin)

/** Returns the URL of the link of a page that contains a text. */
const hrefIn = (page: string, text: string): string =>
  [...page.matchAll(/href="([^"]+)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .find((href) => href.includes(text)) ?? ''

/** Returns the element that contains the name of an application in a sentence. */
const quoted = (name: string): string => `<bdi class="quoted">${name}</bdi>`

const checkedScopes = (text: string) =>
  [...text.matchAll(/name="scope:([^"]+)" value="on" checked/g)].map(([, scope]) => scope)

describe('the consent page', () => {
  it('is the default page of authorization requests', async () => {
    const { url } = await begin()

    expect(`${url.origin}${url.pathname}`).toBe(`${origin}/auth/consent`)
  })

  it('is shown after a sign-in', async () => {
    const { email } = await auth.given.user()
    const browser = openBrowser(auth)
    const { path } = await begin()

    const first = locationOf(await browser.get(path))
    const signedInAt = await browser.submit(`${first.pathname}${first.search}`, 'password', {
      identifier: email ?? '',
      password: testPassword,
    })

    expect(first.pathname).toBe('/auth/sign-in')
    expect(locationOf(signedInAt).href).toBe(`${origin}${path}`)
    expect((await browser.get(path)).text).toContain(
      `${quoted('“Notes”')} would like access to your Acme account`,
    )
  })

  it('signs in with the address and in the language that the request names', async () => {
    const { email } = await auth.given.user()
    const { path } = await begin({ login_hint: email ?? '', ui_locales: 'pt fr-CA de' })
    const browser = openBrowser(auth)
    const signIn = locationOf(await browser.get(path))
    const pathOfSignIn = `${signIn.pathname}${signIn.search}`

    const shown = await browser.get(pathOfSignIn, { 'accept-language': 'de' })
    const fields = { identifier: email ?? '', password: 'wrong horse' }
    const rejected = await browser.submit(pathOfSignIn, 'password', fields)
    const code = hrefIn(shown.text, 'with=code')
    const signUp = hrefIn(shown.text, '/sign-up')
    const forgotten = hrefIn(shown.text, '/forgot-password')
    const done = await browser.submit(pathOfSignIn, 'password', {
      ...fields,
      password: testPassword,
    })
    const consent = locationOf(done)

    expect(shown.text).toContain('<html lang="fr"')
    expect(shown.text).toMatch(new RegExp(`name="identifier"[^>]* value="${email}"`))
    expect(shown.text).toMatch(/name="password"[^>]* autofocus/)
    expect(rejected.text).toContain('Ces informations sont incorrectes')
    for (const [one, name] of [
      [code, 'identifier'],
      [signUp, 'email'],
      [forgotten, 'email'],
    ] as const) {
      const { text } = await openBrowser(auth).get(one)
      expect([one, text]).toEqual([one, expect.stringContaining('<html lang="fr"')])
      expect(text).toMatch(new RegExp(`name="${name}"[^>]* value="${email}"`))
    }
    expect(consent.searchParams.has('login_hint')).toBe(false)
    expect((await browser.get(`${consent.pathname}${consent.search}`)).text).toContain(
      `${quoted('«\u00a0Notes\u00a0»')} souhaite accéder à votre compte Acme`,
    )
  })

  it('is in the language that the user chose, whatever the request prefers', async () => {
    const { browser } = await signedIn()
    const { path } = await begin({ ui_locales: 'fr' })
    await browser.get('/auth/account?lang=de')

    expect((await browser.get(path)).text).toContain('<html lang="de"')
  })

  it.each([
    ['login_hint', 'a'.repeat(321)],
    ['login_hint', 'a\0b'],
    ['ui_locales', 'fr;<de>'],
    ['ui_locales', 'fr '.repeat(100)],
  ])('ignores a malformed %s', async (name, value) => {
    const query = new URLSearchParams({ [name]: value })
    const { status, text } = await openBrowser(auth).get(`/auth/sign-in?${query}`)

    expect(status).toBe(200)
    expect(text).toContain('<html lang="en"')
    expect(text).not.toMatch(/name="identifier"[^>]* value=/)
    expect(text).not.toContain(`href="/auth/sign-up?${name}`)
  })

  it('describes client, publisher, scopes, resource and account', async () => {
    const { browser, email } = await signedIn()
    const { path } = await begin(
      { scope: 'openid email invoice:read', resource: 'https://mcp.example.test/mcp' },
      { client_name: '<b>Notes</b>' },
    )

    const { text, headers } = await browser.get(path)

    const name = quoted('“&lt;b&gt;Notes&lt;/b&gt;”')
    expect(text).toContain(`${name} would like access to your Acme account`)
    expect(text).toContain(`${name} will be able to:`)
    expect(text).toContain('client.example.test')
    expect(text).toContain('Confirm who you are')
    expect(text).toContain('See your email address')
    expect(text).toContain('See your invoices')
    expect(text).toContain('https://mcp.example.test/mcp')
    expect(text).toContain(`Signed in as ${email}.`)
    expect(checkedScopes(text)).toEqual(['email', 'invoice:read'])
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(text).toMatch(/<form [^>]*do=allow" data-pause>/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('delimits the name of the client and shortens it, so that it cannot pass for a sentence of the page', async () => {
    const { browser } = await signedIn()
    const sentence = 'Acme Bank. Your account is locked. This page is from Acme. '
    const client_name = `${sentence.repeat(17)}End`
    const { path } = await begin({}, { client_name })

    const { text } = await browser.get(path)
    await browser.submit(path, 'allow', { 'scope:email': 'on' })
    const list = await browser.get('/auth/account/applications')
    const short = `“${client_name.slice(0, 79).trimEnd()}…”`

    expect(text).toContain(`<h1>${quoted(short)} would like access to your Acme account</h1>`)
    expect(text).toContain(`<legend>${quoted(short)} will be able to:</legend>`)
    expect(text).toContain(`<title>${short} would like`)
    expect(text).toContain(`<summary>Full name</summary><p>${quoted(client_name)}</p></details>`)
    expect(text.split(client_name)).toHaveLength(2)
    expect(list.text).toContain(`<p class="title">${quoted(short)}</p>`)
    expect(list.text).toContain(`<p class="detail">${quoted(client_name)}</p>`)
    expect(list.text.split(client_name)).toHaveLength(2)
  })

  it.each(['”', '“', '"', '»', '„', '〟'])(
    'replaces quotation marks in the name of the client: %s',
    async (mark) => {
      const { browser } = await signedIn()
      const { path } = await begin({}, { client_name: `Acme${mark} is verified. The app ${mark}x` })

      const { text } = await browser.get(path)
      await browser.submit(path, 'allow', { 'scope:email': 'on' })
      const list = await browser.get('/auth/account/applications')

      const shown = quoted('“Acme&#39; is verified. The app &#39;x”')
      expect(text).toContain(`<h1>${shown} would like access to your Acme account</h1>`)
      expect(list.text).toContain(`<p class="title">${shown}</p>`)
    },
  )

  it('grants the selected scopes', async () => {
    const { browser } = await signedIn()
    const { client, path } = await begin({ scope: 'openid email invoice:read invoice:write' })

    const answer = await browser.submit(path, 'allow', {
      'scope:openid': 'on',
      'scope:invoice:read': 'on',
    })
    const target = locationOf(answer)
    const tokens = await oauth.exchange(client, target.searchParams.get('code') ?? '')

    expect(answer.status).toBe(303)
    expect(`${target.origin}${target.pathname}`).toBe(callback)
    expect(target.searchParams.get('state')).toBe('st')
    expect(tokens.body.scope).toBe('openid invoice:read')
  })

  it('rejects a form without scopes, and scopes that were not requested', async () => {
    const { browser } = await signedIn()
    const { path } = await begin({ scope: 'email' })

    const none = await browser.submit(path, 'allow', {})
    const other = await browser.submit(path, 'allow', { 'scope:invoice:write': 'on' })

    expect(none.status).toBe(422)
    expect(none.text).toContain('Select at least one permission')
    expect(other.status).toBe(400)
    expect(other.headers.get('location')).toBeNull()
  })

  it('rejects an id that PostgreSQL cannot store', async () => {
    const { browser } = await signedIn()
    const anonymous = openBrowser(auth)
    const statuses: number[] = []
    for (const id of ['%00', 'a%00b', '%ED%A0%80']) {
      const path = `/auth/consent?authorization_id=${id}`
      statuses.push((await anonymous.get(path)).status, (await browser.get(path)).status)
      for (const action of ['allow', 'deny', 'switch']) {
        statuses.push((await browser.submit(path, action, { 'scope:email': 'on' })).status)
      }
    }

    expect(statuses.filter((status) => status >= 500)).toEqual([])
  })

  it('redirects to the client with access_denied after a denial', async () => {
    const { browser } = await signedIn()
    const { path } = await begin()

    const target = locationOf(await browser.submit(path, 'deny', {}))

    expect(target.searchParams.get('error')).toBe('access_denied')
    expect(target.searchParams.has('code')).toBe(false)
    expect((await browser.get(path)).status).toBe(400)
  })

  it.each(['allow', 'deny'])('shows that the user has decided already (%s)', async (action) => {
    const { browser } = await signedIn()
    const { path } = await begin()
    const otherTab = browser.tokenIn((await browser.get(path)).text)
    await browser.submit(path, action, { 'scope:email': 'on' })

    const form = `${new URLSearchParams({ form_token: otherTab, 'scope:email': 'on' })}`
    const answers = [
      await browser.get(path),
      await browser.send('POST', `${path}&do=allow`, form),
      await browser.send('POST', `${path}&do=deny`, form),
    ]

    for (const { status, text } of answers) {
      expect(status).toBe(400)
      expect(text).toContain('<h1>You have already decided</h1>')
      expect(text).toContain('Go back to the application.')
      expect(text).not.toContain('Back to sign-in')
    }
  })

  it('shows the resource of a request in quotation marks, shortened', async () => {
    const { browser } = await signedIn()
    const resource = `https://api.example/${'x'.repeat(100)}`
    const { path } = await begin({ resource })

    const { text } = await browser.get(path)

    expect(text).toContain(`This access is for ${quoted(`“${resource.slice(0, 79)}…”`)}.`)
    expect(text).not.toContain(resource)
  })

  it('shows the whole host of a resource', async () => {
    const { browser } = await signedIn()
    const host = `https://api.app.example.com.${'a'.repeat(60)}.evil.example`
    const { path } = await begin({ resource: `${host}/x` })

    const { text } = await browser.get(path)

    expect(text).toContain(quoted(`“${host}…”`))
  })

  it('skips the page for a client with the same consent, unless the request requires it', async () => {
    const { browser } = await signedIn()
    const { client, path } = await begin()
    await browser.submit(path, 'allow', { 'scope:email': 'on' })

    const again = await browser.get(pathOf(await oauth.authorize(client)))
    const requested = await browser.get(
      pathOf(await oauth.authorize(client, { prompt: 'consent' })),
    )

    expect(locationOf(again).searchParams.get('code')).toBeTruthy()
    expect(locationOf(again).hash).toBe('#_')
    expect(requested.status).toBe(200)
  })

  it('S135: shows the error of prompt=none in place of a redirect to a custom scheme', async () => {
    const redirect_uri = 'vscode://vendor.extension/cb'
    const silent = () => begin({ prompt: 'none', redirect_uri }, { redirect_uris: [redirect_uri] })
    const { browser } = await signedIn()
    const requests = [
      await openBrowser(auth).get((await silent()).path),
      await browser.get((await silent()).path),
    ]

    for (const { status, headers, text } of requests) {
      expect([status, headers.get('location')]).toEqual([400, null])
      expect(text).toContain('This link or request cannot be used.')
    }
  })

  it('returns login_required for prompt=none without a user, and consent_required without a consent', async () => {
    const { browser } = await signedIn()
    const [silent, other] = [await begin({ prompt: 'none' }), await begin({ prompt: 'none' })]

    const withoutUser = locationOf(await openBrowser(auth).get(silent.path))
    const withoutConsent = locationOf(await browser.get(other.path))

    expect(withoutUser.searchParams.get('error')).toBe('login_required')
    // The fragment of the redirect that led here, with the tokens of a sign-in, is not kept (S72).
    expect([withoutUser.hash, withoutConsent.hash]).toEqual(['#_', '#_'])
    expect(withoutConsent.searchParams.get('error')).toBe('consent_required')
    expect(withoutUser.origin).toBe('https://client.example.test')
  })

  it('continues with another user who signs in where a new sign-in is required', async () => {
    const { browser } = await signedIn()
    const { email: other } = await auth.given.user()
    auth.clock.advance(10)
    const { path } = await begin({ prompt: 'login' })
    const step = locationOf(await browser.get(path))
    auth.clock.advance(10)
    const signIn = { identifier: other ?? '', password: testPassword }
    const target = `${step.pathname}${step.search}`

    const back = locationOf(await browser.submit(target, 'password', signIn))
    const page = await browser.get(`${back.pathname}${back.search}`)

    expect([page.status, page.text.includes(other ?? '-')]).toEqual([200, true])
  })

  it('requires a new sign-in for prompt=login, then continues', async () => {
    const { browser, email } = await signedIn()
    auth.clock.advance(5)
    const { path } = await begin({ prompt: 'login' })

    const first = locationOf(await browser.get(path))
    auth.clock.advance(5)
    const signIn = await browser.submit(`${first.pathname}${first.search}`, 'password', {
      identifier: email,
      password: testPassword,
    })

    expect(first.searchParams.get('again')).toBe('1')
    expect(locationOf(signIn).href).toBe(`${origin}${path}`)
    expect((await browser.get(path)).status).toBe(200)
  })

  it('continues with another account after a switch', async () => {
    const { browser, email } = await signedIn()
    const other = await auth.given.user()
    const { path } = await begin({ login_hint: email, ui_locales: 'en' })

    const switched = locationOf(await browser.submit(path, 'switch', {}))
    expect(switched.pathname).toBe('/auth/sign-in')
    expect(switched.searchParams.has('login_hint')).toBe(false)
    expect(switched.searchParams.get('ui_locales')).toBe('en')
    await browser.submit(`${switched.pathname}${switched.search}`, 'password', {
      identifier: other.email ?? '',
      password: testPassword,
    })
    const { text } = await browser.get(path)

    expect(text).toContain(`Signed in as ${other.email}.`)
    expect(text).not.toContain(email)
  })

  it('rejects a request that another user opened', async () => {
    const [first, second] = [await signedIn(), await signedIn()]
    const { path } = await begin()
    await first.browser.get(path)

    const { status, text } = await second.browser.get(path)

    expect(status).toBe(404)
    expect(text).toContain('belongs to another account')
  })

  it('rejects a form of another origin, and one without its token (RFC 9700 §4.7)', async () => {
    const { browser } = await signedIn()
    const { path } = await begin()
    const fields = { 'scope:email': 'on' }

    const foreign = await browser.submit(path, 'allow', fields, { origin: 'https://evil.test' })
    const forged = await browser.submit(path, 'allow', { ...fields, form_token: 'x' })
    const stolen = await openBrowser(auth).submit(path, 'allow', fields)

    expect([foreign.status, forged.status]).toEqual([403, 403])
    expect(foreign.headers.get('location')).toBeNull()
    expect(forged.headers.get('location')).toBeNull()
    expect(stolen.headers.get('location') ?? '').not.toContain('code=')
    const rows = await auth.rows(`select status from auth.oauth_authorizations where id = $1`, [
      new URL(path, origin).searchParams.get('authorization_id'),
    ])
    expect(rows).toEqual([{ status: 'pending' }])
  })

  it('shows a logo at the origin of the application only, without a referrer (RFC 9700 §4.2)', async () => {
    const { browser } = await signedIn()
    const own = await begin({}, { logo_uri: 'https://client.example.test/logo.png' })
    const foreign = await begin({}, { logo_uri: 'https://tracker.example/logo.png' })

    const shown = await browser.get(own.path)
    const hidden = await browser.get(foreign.path)

    expect(shown.text).toContain('src="https://client.example.test/logo.png"')
    expect(shown.headers.get('content-security-policy')).toContain(
      'img-src data: https://client.example.test',
    )
    expect(shown.headers.get('referrer-policy')).toBe('same-origin')
    expect(hidden.text).not.toContain('tracker.example')
    expect(hidden.headers.get('content-security-policy')).not.toContain('tracker.example')
  })
})

it('S136: a stored host that is syntax of headers does not change the policy of the page', async () => {
  const { browser } = await signedIn()
  const { client } = await begin()
  const uri = 'https://c.evil.test;sandbox/x'
  await auth.rows(
    `update auth.oauth_clients set redirect_uris = $1::jsonb, logo_uri = $2 where id = $3`,
    [JSON.stringify([uri]), uri, client.id],
  )
  const { headers } = await oauth.authorize(client, { redirect_uri: uri })
  const { pathname, search } = locationOf({ headers })

  const { status, headers: shown } = await browser.get(`${pathname}${search}`)

  expect(status).toBe(200)
  expect(shown.get('content-security-policy')).toContain('img-src data:;')
  expect(shown.get('content-security-policy')).not.toContain('sandbox')
})

const pathOf = ({ headers }: { headers: Headers }): string => {
  const { pathname, search } = locationOf({ headers })
  return `${pathname}${search}`
}

describe('the destination of an application', () => {
  const native =
    'This application is on this device. Allow access only if you started this yourself.'
  const quotedAddress = (address: string) => `You will continue at ${quoted(`“${address}”`)}.`

  it.each([
    ['https://app.example/cb', 'app.example'],
    ['https://attacker.github.io/cb', 'attacker.github.io'],
    ['com.evil.app:/cb', null],
    ['com.evil.app://bank.example/cb', null],
    ['http://localhost:1234/cb', null],
    ['http://127.0.0.1/cb', null],
    [null, null],
  ])('%s is %s', (redirectUri, destination) => {
    expect(destinationOf(redirectUri)).toBe(destination)
  })

  it.each([
    [
      'id',
      'https://app.example/cb',
      'This application is from app.example. You will continue there.',
    ],
    [
      'https://app.example/meta',
      'https://app.example/cb',
      'This application is from app.example. You will continue there.',
    ],
    [
      'https://app.example/meta',
      'https://evil.example/cb',
      'This application is from app.example. You will continue at evil.example.',
    ],
    [
      'https://app.example/meta',
      'http://127.0.0.1:5000/cb',
      `This application is from app.example. ${native} ${quotedAddress('http://127.0.0.1')}`,
    ],
    [
      'https://app.example/meta',
      'com.evil.app:/cb',
      `This application is from app.example. ${native} ${quotedAddress('com.evil.app:')}`,
    ],
    [
      'https://app.example/meta',
      null,
      /^This application is from app\.example\. This application is on a device that shows a code\./,
    ],
    ['id', 'com.evil.app:/cb', `${native} ${quotedAddress('com.evil.app:')}`],
    ['id', 'notes://all%20safe/cb', `${native} ${quotedAddress('notes://all%20safe')}`],
    [
      'id',
      `notes://${'x'.repeat(100)}/cb`,
      `${native} ${quotedAddress(`notes://${'x'.repeat(71)}…`)}`,
    ],
  ])(
    'is named beside the publisher of %s for %s (S113, RFC 8252 §7.1)',
    (clientId, redirectUri, expected) => {
      const page = { text: createTexts({})('en') }
      const { markup: sentences } = originText(page, { clientId }, redirectUri)
      if (typeof expected === 'string') expect(sentences).toBe(expected)
      else expect(sentences).toMatch(expected)
    },
  )

  it.each([
    ['https://app.example/logo.png', 'https://app.example/cb', true],
    ['http://app.example/logo.png', 'https://app.example/cb', false],
    ['https://app.example:8443/logo.png', 'https://app.example/cb', false],
    ['https://bank.example/logo.png', 'https://app.example/cb', false],
    ['/logo.png', 'https://app.example/cb', false],
    ['https://bank.example/logo.png', 'com.evil.app:/cb', false],
    ['https://bank.example/logo.png', null, false],
    [
      'https://bank.example/logo.png',
      'https://evil.example/cb',
      false,
      'https://bank.example/meta',
    ],
    ['https://bank.example/logo.png', 'http://127.0.0.1/cb', false, 'https://bank.example/meta'],
    ['https://bank.example/logo.png', 'https://bank.example/cb', true, 'https://bank.example/meta'],
  ])('permits its logo %s beside %s: %s', (logoUri, redirectUri, isShown, clientId = 'id') => {
    const client = { clientId, clientName: null, clientUri: 'https://bank.example', logoUri }

    expect(logoOf(client, redirectUri) !== null).toBe(isShown)
  })
})

describe('the device page', () => {
  const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

  async function begun() {
    const device = await oauth.client({
      redirect_uris: [],
      client_name: 'Television',
      grant_types: [deviceGrant],
      token_endpoint_auth_method: 'none',
    })
    const { body } = await oauth.form('/oauth/device_authorization', { scope: 'email' }, device)
    const poll = () =>
      oauth.form('/oauth/token', { grant_type: deviceGrant, device_code: body.device_code }, device)
    return { ...(body as Record<string, string>), poll } as {
      user_code: string
      verification_uri: string
      verification_uri_complete: string
      poll: typeof poll
    }
  }

  it('is the default verification URI, states the risk, and ends in tokens (RFC 8628 §5.4)', async () => {
    const { browser } = await signedIn()
    const device = await begun()
    expect(device.verification_uri).toBe(`${origin}/auth/device`)

    const prefilled = await browser.get(device.verification_uri_complete)
    expect(prefilled.text).toContain(`value="${device.user_code}"`)
    expect(prefilled.text).toContain('Continue only if you started this')
    const entered = await browser.submit('/auth/device', 'enter', {
      user_code: ` ${device.user_code.toLowerCase()}`,
    })
    const consent = await browser.get(pathOf(entered))
    expect(consent.text).toContain(`${quoted('“Television”')} would like access`)
    expect(consent.text).toContain('This application is on a device that shows a code.')
    const allowed = await browser.submit(pathOf(entered), 'allow', { 'scope:email': 'on' })
    const end = await browser.get(pathOf(allowed))

    expect(end.text).toContain('Your device is connected')
    expect((await device.poll()).status).toBe(200)
  })

  it('S92: requires the code again after a switch, and shows no released request without it', async () => {
    const [attacker, victim] = [await signedIn(), await signedIn()]
    const device = await begun()
    const code = { user_code: device.user_code }
    const consent = pathOf(await attacker.browser.submit('/auth/device', 'enter', code))
    const switched = locationOf(await attacker.browser.submit(consent, 'switch', {}))

    expect(switched.searchParams.get('redirect_to')).toBe(`${origin}/auth/device`)
    expect((await victim.browser.get(consent)).status).toBe(404)
    const allowed = await victim.browser.submit(consent, 'allow', { 'scope:email': 'on' })
    expect(allowed.status).toBe(404)
    expect((await device.poll()).body.error).toBe('authorization_pending')
    const entered = await victim.browser.submit('/auth/device', 'enter', code)
    expect((await victim.browser.get(pathOf(entered))).text).toContain(
      `${quoted('“Television”')} would like access`,
    )
  })

  it('rejects an unknown code beside its field, and shows a denial', async () => {
    const { browser } = await signedIn()
    const device = await begun()

    const unknown = await browser.submit('/auth/device', 'enter', { user_code: 'BBBB-BBBB' })
    const entered = await browser.submit('/auth/device', 'enter', { user_code: device.user_code })
    const denied = await browser.submit(pathOf(entered), 'deny', {})
    const end = await browser.get(pathOf(denied))

    expect(unknown.status).toBe(422)
    expect(unknown.text).toContain(
      'id="device-user_code-error">This code is wrong or has expired.</p>',
    )
    expect(end.text).toContain('The device was not connected')
    expect((await device.poll()).body.error).toBe('access_denied')
  })

  it('requires a sign-in, and keeps the code', async () => {
    const device = await begun()

    const target = locationOf(await openBrowser(auth).get(device.verification_uri_complete))

    expect(target.pathname).toBe('/auth/sign-in')
    expect(target.searchParams.get('redirect_to')).toBe(device.verification_uri_complete)
  })
})

describe('the page of connected applications', () => {
  it('lists the grants of the user, and removes one with its sessions', async () => {
    const { browser } = await signedIn()
    const other = await signedIn()
    const { client, path } = await begin({ scope: 'email invoice:read' })
    const target = locationOf(
      await browser.submit(path, 'allow', { 'scope:email': 'on', 'scope:invoice:read': 'on' }),
    )
    const { body: tokens } = await oauth.exchange(client, target.searchParams.get('code') ?? '')

    const { text } = await browser.get('/auth/account/applications')
    const form_token = other.browser.tokenIn((await other.browser.get('/auth/account')).text)
    const ofOther = await other.browser.send(
      'POST',
      '/auth/account/applications?do=revoke',
      `${new URLSearchParams({ form_token, client_id: client.id })}`,
    )
    const revoked = await browser.submit('/auth/account/applications', 'revoke', {
      client_id: client.id,
    })
    const after = await browser.get('/auth/account/applications')

    expect(text).toContain('Notes')
    expect(text).toContain('See your email address · See your invoices')
    expect(ofOther.status).toBe(404)
    expect(revoked.status).toBe(303)
    expect(after.text).toContain('The access was removed.')
    expect(after.text).toContain('No application has access.')
    const refreshed = await oauth.refresh(client, tokens.refresh_token)
    expect(refreshed.body.error).toBe('invalid_grant')
  })
})

describe('a service that is no OAuth server', () => {
  it('has neither page', async () => {
    const own = await startMessagingAuth({
      siteUrl: origin,
      basePath: '/auth',
      pages: { enabled: true },
    })
    const { email } = await own.given.user()
    const browser = openBrowser(own)
    await browser.submit('/auth/sign-in', 'password', {
      identifier: email ?? '',
      password: testPassword,
    })
    const pages = [
      await browser.get('/auth/consent?authorization_id=x'),
      await browser.get('/auth/account/applications'),
      await browser.get('/auth/device'),
    ]
    const account = await browser.get('/auth/account')
    await own.close()

    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(account.text).not.toContain('/account/applications')
  })
})

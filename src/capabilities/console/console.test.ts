import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConsoleBrowser,
  consoleBrowsers,
  operatorRole,
  viewerRole,
} from '../../../test/support/console.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { consoleRoutes } from './open-console.ts'

let auth: MessagingAuth
let browsers: ReturnType<typeof consoleBrowsers>
let operator: ConsoleBrowser
let viewer: ConsoleBrowser
let clientId: string
const provider = 'custom:club'

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    jwt: {},
    encryptionKey: 'an encryption key of more than 32 bytes',
    usernames: { enabled: true },
    mfa: { trustedDevices: { enabled: true } },
    oauthServer: { enabled: true, authorizationPath: '/consent' },
    console: { enabled: true },
  })
  browsers = consoleBrowsers(auth)
  operator = await openOperator()
  viewer = await browsers.strong(viewerRole)
  const { oauth, customProviders } = auth.auth.admin
  const client = { redirectUris: ['https://client.example.test/callback'], clientName: nasty }
  clientId = (await oauth.createClient(client)).clientId
  await customProviders.createProvider({ ...clubProvider, identifier: provider, name: nasty })
})
afterAll(() => auth?.close())

/** The performed actions, each with whether the audit log then named the operator. */
const performed = new Map<string, boolean>()

function recordingActions(browser: ConsoleBrowser): ConsoleBrowser {
  const entries = async () => {
    const own = 'select count(*)::int as n from auth.audit_entries where actor_id = $1'
    const [row] = await auth.rows<{ n: number }>(own, [browser.user.id])
    return row?.n ?? 0
  }
  return {
    ...browser,
    submit: async (path, action, ...rest) => {
      const before = await entries()
      const answer = await browser.submit(path, action, ...rest)
      const route = routeOf(path.replace(/\?.*/, ''))
      if (route && answer.status < 400) {
        performed.set(`${route} ${action}`, (await entries()) > before)
      }
      return answer
    },
  }
}

const openOperator = async () => recordingActions(await browsers.strong(operatorRole))

const routeOf = (path: string): string | undefined =>
  consoleRoutes
    .map((route) => route.path)
    .toSorted((one, other) => Number(one.includes(':')) - Number(other.includes(':')))
    .find((route) => new RegExp(`^/auth${route.replace(':id', '[^/]+')}$`).test(path))

const nasty = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`

/** An OAuth 2.0 provider at a public address, which is never requested. */
const clubProvider = {
  providerType: 'oauth2',
  clientId: 'club-client',
  clientSecret: 'club-secret',
  authorizationUrl: 'https://93.184.216.34/authorize',
  tokenUrl: 'https://93.184.216.34/token',
  userinfoUrl: 'https://93.184.216.34/me',
} as const

/** Returns the path of a page about this user, or about the client or provider of the tests. */
const pathAt = (path: string, userId: string): string =>
  `/auth${path
    .replace('clients/:id', `clients/${clientId}`)
    .replace('providers/:id', `providers/${provider}`)
    .replace(':id', userId)}`

/** The pages of forms only, which viewers do not see. */
const formPages = ['/console/users/new', '/console/clients/new', '/console/providers/new']

const given = (email?: string) => auth.given.user(email)
const pageOf = (id: string) => `/auth/console/users/${id}`
/** Submits a form of the operator, and returns the response with the last audit entry. */
async function act(path: string, action: string, fields: Record<string, string>) {
  auth.clock.advance(1)
  const answer = await operator.submit(path, action, fields)
  const [entry] = await auth.rows<{
    actor_id: string | null
    actor_role: string | null
    user_id: string
    traits: object
  }>(
    'select actor_id, actor_role, user_id, traits from auth.audit_entries order by id desc limit 1',
  )
  return { ...answer, entry }
}

describe('every page', () => {
  it.each(consoleRoutes.map(({ path }) => path))('%s shows values as text', async (path) => {
    const user = await auth.auth.admin.createUser({
      email: `xss${Math.random().toString(36).slice(2)}@console.test`,
      userMetadata: { name: nasty, full_name: nasty },
      appMetadata: { [nasty]: nasty },
    })
    await auth.auth.admin.banUser(user.id, { reason: nasty })
    const query = new URLSearchParams(
      Object.fromEntries(
        [
          'q',
          'status',
          'request',
          'author',
          'action',
          'lang',
          'kind',
          'source',
          'type',
          'cursor',
          'after',
          'before',
          'redirect_to',
        ].map((name) => [name, nasty]),
      ),
    )
    for (const search of ['', `?${query}`]) {
      const url = `${pathAt(path, user.id)}${search}`
      const answer = await operator.get(url)

      expect([url, answer.status < 500]).toEqual([url, true])
      if (search === '') expect([url, answer.status]).toEqual([url, 200])
      const isFile = answer.headers.get('content-disposition') !== null
      if (!isFile) expect(answer.text).not.toMatch(/<script>alert|<img src=x/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('is there only where the configuration enables it', async () => {
    const other = await auth.beside({ console: { enabled: false }, pages: { enabled: true } })
    for (const { path } of consoleRoutes) {
      const response = await other.auth.fetch(new Request(`${origin}/auth${path}`))
      expect([path, response.status]).toEqual([path, 404])
    }
    await other.close()
  })
})

/** Every kind of caller that the console rejects, with the start of the response's location. */
const callers: Record<string, [() => Promise<ConsoleBrowser>, number, string | null]> = {
  visitor: [
    async () => ({ ...openBrowser(auth), user: operator.user, code: () => '', factorId: '' }),
    303,
    '/auth/sign-in?',
  ],
  'user without a role': [() => browsers.strong(), 403, null],
  'operator without a factor': [() => browsers.weak(operatorRole), 303, '/auth/account/security?'],
  'operator who has not proved the factor': [
    async () => {
      const strong = await browsers.strong(operatorRole)
      const other = openBrowser(auth)
      await browsers.signIn(other, strong.user)
      return { ...strong, ...other }
    },
    303,
    '/auth/sign-in?',
  ],
  'operator with a trusted device': [
    async () => {
      const strong = await browsers.strong(operatorRole)
      const other = openBrowser(auth)
      await browsers.signIn(other, strong.user)
      const proof = { factor_id: strong.factorId, code: strong.code(), trust: 'on' }
      const proved = await other.submit('/auth/second-factor', 'verify', proof)
      expect(proved.status).toBe(303)
      for (const name of [...other.jar.keys()].filter((one) => /session|state/.test(one))) {
        other.jar.delete(name)
      }
      const again = await browsers.signIn(other, strong.user)
      expect(again.headers.get('location')).toBe(origin)
      return { ...strong, ...other }
    },
    303,
    '/auth/second-factor?',
  ],
  'operator whose proof is more than an hour old': [
    async () => {
      const strong = await browsers.strong(operatorRole)
      auth.clock.advance(3_601)
      operator = await openOperator()
      viewer = await browsers.strong(viewerRole)
      return strong
    },
    303,
    '/auth/second-factor?',
  ],
  'demoted operator': [
    async () => {
      const strong = await browsers.strong(operatorRole)
      expect((await strong.get('/auth/console')).status).toBe(200)
      await auth.auth.admin.updateUser(strong.user.id, { role: 'authenticated' })
      return strong
    },
    403,
    null,
  ],
  'banned operator': [
    async () => {
      const strong = await browsers.strong(operatorRole)
      await auth.auth.admin.banUser(strong.user.id)
      return strong
    },
    303,
    '/auth/sign-in?',
  ],
  'operator whose sessions ended': [
    async () => {
      const strong = await browsers.strong(operatorRole)
      await auth.auth.admin.signOut(strong.user.id)
      return strong
    },
    303,
    '/auth/sign-in?',
  ],
}

const tokenOf = async (browser: ConsoleBrowser): Promise<string> => {
  for (const path of ['/auth/console', '/auth/account', '/auth/sign-in', '/auth/signed-out']) {
    const token = browser.tokenIn((await browser.get(path)).text)
    if (token !== '') return token
  }
  throw new Error('no page has a form')
}

const actions = consoleRoutes.flatMap(({ path, actions: all = {} }) =>
  Object.keys(all).map((name) => [path, name] as const),
)

/** Submits an action with fields that would let it succeed. */
async function attempt(browser: ConsoleBrowser, path: string, name: string, userId: string) {
  const form = new URLSearchParams({
    form_token: await tokenOf(browser),
    email: 'new@console.test',
    was_email: 'x',
    password: 'another horse',
    reason: 'abuse',
    confirmation: userId,
    type: 'magiclink',
  })
  return browser.send('POST', `${pathAt(path, userId)}?do=${name}`, `${form}`)
}

const changes = () =>
  auth.rows<{ text: string }>(
    `select (select jsonb_agg(to_jsonb(u) - 'last_sign_in_at' - 'updated_at' - 'version' order by id) from auth.users u
      where email not like 'person%')::text as text`,
  )

describe.each(Object.entries(callers))('a %s', (_, [open, status, location]) => {
  it('is rejected by every page and every action', async () => {
    const target = await given()
    const browser = await open()
    const before = await changes()
    const entries = await auth.rows('select id from auth.audit_entries where user_id = $1', [
      target.id,
    ])

    for (const { path } of consoleRoutes) {
      const answer = await browser.get(pathAt(path, target.id))
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.text).not.toContain(target.email)
      if (location !== null) expect(answer.headers.get('location')?.startsWith(location)).toBe(true)
    }
    for (const [path, name] of actions) {
      const answer = await attempt(browser, path, name, target.id)
      expect([path, name, answer.status]).toEqual([path, name, 403])
      expect(answer.text).not.toContain(target.email)
    }
    expect(await changes()).toEqual(before)
    const after = await auth.rows('select id from auth.audit_entries where user_id = $1', [
      target.id,
    ])
    expect(after).toEqual(entries)
  })
})

describe('a user without a role', () => {
  it('learns that only operators may use the console, and can use another account', async () => {
    const browser = await browsers.strong()

    const shown = [
      await browser.get('/auth/console/users'),
      await attempt(browser, '/console/users/new', 'create', browser.user.id),
    ]

    for (const { status, text } of shown) {
      expect(status).toBe(403)
      expect(text).toContain('<h1>You have no access to the console</h1>')
      expect(text).toContain(`You are signed in as ${browser.user.email}.`)
    }
    const link = /href="([^"]+)">Use another account/.exec(shown[0]?.text ?? '')?.[1] ?? ''
    const signIn = new URL(link.replaceAll('&amp;', '&'), origin)
    expect(signIn.pathname).toBe('/auth/sign-in')
    expect(signIn.searchParams.get('redirect_to')).toBe(`${origin}/auth/console/users`)
    expect((await browser.get(`${signIn.pathname}${signIn.search}`)).status).toBe(200)
  })
})

describe('a viewer', () => {
  it('reads every page that changes nothing', async () => {
    const target = await given()
    for (const { path } of consoleRoutes) {
      const answer = await viewer.get(pathAt(path, target.id))
      const expected = formPages.includes(path) ? 403 : 200
      expect([path, answer.status]).toEqual([path, expected])
      expect([path, answer.text.match(/\?do=(?!sign-out)[\w-]+/g)]).toEqual([path, null])
    }
  })

  it('is rejected by every action', async () => {
    const target = await given()
    const before = await changes()
    for (const [path, name] of actions) {
      const answer = await attempt(viewer, path, name, target.id)
      expect([path, name, answer.status]).toEqual([path, name, 403])
    }
    expect(await changes()).toEqual(before)
  })
})

describe('an operator', () => {
  it('proves the factor again after an hour, and returns to the page', async () => {
    const strong = await browsers.strong(operatorRole)
    const path = '/auth/console/users?q=someone'
    expect((await strong.get(path)).status).toBe(200)
    auth.clock.advance(3_601)

    const requested = await strong.get(path)
    const steps = requested.headers.get('location') ?? ''
    expect(steps).toMatch(/^\/auth\/second-factor\?redirect_to=/)
    const proof = { factor_id: strong.factorId, code: strong.code() }
    const proved = await strong.submit(steps, 'verify', proof)

    expect(proved.headers.get('location')).toBe(`${origin}${path}`)
    expect((await strong.get(path)).status).toBe(200)
    operator = await openOperator()
    viewer = await browsers.strong(viewerRole)
  })

  it('keeps a form that needs a new proof, and accepts it afterwards', async () => {
    const strong = await browsers.strong(operatorRole)
    const user = await given()
    const path = pageOf(user.id)
    const shown = await strong.get(path)
    auth.clock.advance(3_601)
    const send = (text: string) => {
      const fields = { form_token: strong.tokenIn(text), reason: 'typed reason' }
      return strong.send('POST', `${path}?do=ban`, `${new URLSearchParams(fields)}`)
    }

    const unsent = await send(shown.text)
    expect(unsent.status).toBe(403)
    expect(unsent.text).toContain('name="reason" value="typed reason"')
    const step = /href="([^"]*second-factor[^"]*)"/.exec(unsent.text)?.[1] ?? ''
    const proof = { factor_id: strong.factorId, code: strong.code() }
    await strong.submit(step.replaceAll('&amp;', '&'), 'verify', proof)

    // The token of the form ended with the proof.
    const again = await send(unsent.text)
    expect(again.status).toBe(403)
    expect(again.text).toContain('value="typed reason"')
    expect((await send(again.text)).status).toBe(303)
    expect((await auth.auth.admin.getUser(user.id)).bannedUntil).not.toBeNull()
    operator = await openOperator()
    viewer = await browsers.strong(viewerRole)
  })

  it('finds a user by id and by the beginning of the address', async () => {
    const user = await given('needle-in-haystack@console.test')
    for (const q of [user.id, 'needle-in', 'NEEDLE-in-haystack@console.test']) {
      const { text } = await operator.get(`/auth/console/users?${new URLSearchParams({ q })}`)
      expect([q, text.includes('needle-in-haystack@console.test')]).toEqual([q, true])
    }
    const none = await operator.get('/auth/console/users?q=eedle')
    expect(none.text).not.toContain('needle-in-haystack')
  })

  it('bans with a reason, reads the audit entry, and lifts the ban', async () => {
    const user = await given()
    const { id } = operator.user

    const answer = await act(pageOf(user.id), 'ban', { reason: 'spam <b>' })

    expect([answer.status, answer.headers.get('location')]).toEqual([303, pageOf(user.id)])
    expect((await auth.auth.admin.getUser(user.id)).bannedUntil).not.toBeNull()
    expect((await operator.get(pageOf(user.id))).text).toContain('<dd>permanently</dd>')
    expect(answer.entry).toEqual({
      actor_id: id,
      actor_role: operatorRole,
      user_id: user.id,
      traits: { ban_reason: 'spam <b>' },
    })
    const shown = await operator.get(`/auth/console/audit?user=${user.id}`)
    expect(shown.text).toContain('Ban: spam &lt;b&gt;')
    expect(shown.text).toContain(operator.user.email ?? '')

    await operator.submit(pageOf(user.id), 'unban', {})
    expect((await auth.auth.admin.getUser(user.id)).bannedUntil).toBeNull()
  })

  it('requires a reason for a ban', async () => {
    const user = await given()
    const answer = await operator.submit(pageOf(user.id), 'ban', { reason: ' ' })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Reason: fill in this field.')
    expect((await auth.auth.admin.getUser(user.id)).bannedUntil).toBeNull()
  })

  it('changes only the fields that differ from those that the form showed', async () => {
    const user = await given()
    await auth.auth.admin.updateUser(user.id, { userMetadata: { a: 1, b: 2 } })
    const fields = {
      email: 'changed@console.test',
      was_email: user.email ?? '',
      role: 'authenticated',
      was_role: 'authenticated',
      user_metadata: '{"a": 3}',
      was_user_metadata: '{"a": 1, "b": 2}',
    }
    await auth.auth.admin.updateUser(user.id, { role: 'editor' })

    const answer = await operator.submit(pageOf(user.id), 'change', fields)

    expect(answer.status).toBe(303)
    const changed = await auth.auth.admin.getUser(user.id)
    expect(changed).toMatchObject({ email: 'changed@console.test', role: 'editor' })
    expect(changed.userMetadata).toEqual({ a: 3, email_verified: true })
  })

  it('keeps a member that the operator left alone, and that changed meanwhile', async () => {
    const user = await given()
    await auth.auth.admin.updateUser(user.id, { appMetadata: { privileged: false } })

    await operator.submit(pageOf(user.id), 'change', {
      app_metadata: '{"privileged": true, "plan": "b"}',
      was_app_metadata: '{"privileged": true, "plan": "a"}',
    })

    const { appMetadata } = await auth.auth.admin.getUser(user.id)
    expect(appMetadata).toMatchObject({ privileged: false, plan: 'b' })
  })

  it('keeps the typed values of a rejected form', async () => {
    const user = await given()
    const typed = '{"unfinished": '
    const fields = { user_metadata: typed, was_user_metadata: '{}' }
    const answer = await operator.submit(pageOf(user.id), 'change', fields)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('{&quot;unfinished&quot;: ')
    expect(answer.text).toContain('user_metadata: enter a JSON object')
  })

  it('reads the reason of a rejected form in the language of the page', async () => {
    const taken = await given()
    const user = await given()
    const fields = { email: taken.email ?? '', was_email: user.email ?? '' }
    const reasons = {
      en: 'Nothing was changed. Another user has this email address.',
      de: 'Es wurde nichts geändert. Diese E-Mail-Adresse gehört zu einem anderen Benutzer.',
      fr: 'Rien n’a été modifié. Un autre utilisateur a cette adresse e-mail.',
    }
    for (const [language, reason] of Object.entries(reasons)) {
      await operator.get(`/auth/console?lang=${language}`)
      const answer = await operator.submit(pageOf(user.id), 'change', fields)
      expect(answer.text).toContain(reason)
      expect(answer.text).not.toContain('<p class="error" lang="en">')
    }
    await operator.get('/auth/console?lang=de')
    const long = { role: 'x'.repeat(300), was_role: 'authenticated' }
    const { text } = await operator.submit(pageOf(user.id), 'change', long)
    expect(text).toContain('Ein Wert fehlt oder ist ungültig.')
    // The rule names the field of the API, in English.
    expect(text).toContain('<p class="error" lang="en">role: cannot be longer than 255 bytes</p>')
    await operator.get('/auth/console?lang=en')
  })

  it('ends sessions', async () => {
    const { user, accessToken } = await auth.given.session()
    await operator.submit(pageOf(user.id), 'sign-out', {})
    expect((await auth.get('/auth/user', { token: accessToken })).status).toBe(403)
  })

  it('creates and invites users', async () => {
    const created = await act('/auth/console/users/new', 'create', {
      email: 'created@console.test',
      confirmed: 'on',
    })
    expect(created.headers.get('location')).toMatch(/\/console\/users\/[0-9a-f-]{36}$/)
    expect(created.entry).toMatchObject({ actor_id: operator.user.id })
    const email = 'invited@console.test'
    const invited = await act('/auth/console/users/new', 'invite', { email })
    expect((await auth.messageTo(email)).type).toBe('invite')
    expect(invited.entry).toMatchObject({ actor_id: operator.user.id })
  })

  it('generates a link for a user of another audience', async () => {
    const given = { email: 'far@console.test', emailConfirm: true, audience: 'elsewhere' }
    const { id } = await auth.auth.admin.createUser(given)
    const { status, text } = await operator.submit(pageOf(id), 'link', { type: 'recovery' })
    expect(status).toBe(200)
    expect(text).toContain('far@console.test')
  })

  it('generates a link', async () => {
    const user = await given()
    const { status, text } = await operator.submit(pageOf(user.id), 'link', { type: 'magiclink' })
    expect(status).toBe(200)
    expect(text).toMatch(/\/auth\/verify\?/)
  })

  it('exports a user, and erases one after the address is typed', async () => {
    const user = await given()
    const exported = await act(pageOf(user.id), 'export', {})
    expect(exported.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(JSON.parse(exported.text)).toHaveProperty('user')
    expect(exported.entry).toMatchObject({ actor_id: operator.user.id, user_id: user.id })

    const wrong = await operator.submit(pageOf(user.id), 'erase', { confirmation: 'yes' })
    expect(wrong.status).toBe(400)
    await operator.submit(pageOf(user.id), 'erase', { confirmation: user.email ?? '' })
    expect(await auth.auth.admin.findUser({ id: user.id })).toBeNull()
  })

  it('returns by itself after the enrollment that it requires', async () => {
    const browser = await browsers.weak(operatorRole)
    const required = (await browser.get('/auth/console')).headers.get('location') ?? ''

    const shown = await browser.get(required)
    const { searchParams } = new URL(required, origin)

    expect(shown.status).toBe(200)
    expect(searchParams.get('for')).toBe('enroll')
    expect(searchParams.get('redirect_to')).toBe(`${origin}/auth/console`)
  })

  it('changes the own account on the account pages only', async () => {
    const { user } = operator
    const answer = await operator.submit(pageOf(user.id), 'delete-factor', {
      factor_id: operator.factorId,
    })
    expect(answer.status).toBe(400)
    expect(await auth.auth.admin.listFactors(user.id)).toHaveLength(1)
  })

  it('creates, changes and deletes an OAuth client, and replaces its secret', async () => {
    const { oauth } = auth.auth.admin
    const fields = {
      client_name: 'Shop',
      was_client_name: '',
      redirect_uris: 'https://shop.example.test/a\r\nhttps://shop.example.test/b',
      was_redirect_uris: '',
    }
    const created = await act('/auth/console/clients/new', 'create', fields)
    const [client] = (await oauth.listClients()).clients
    const id = client?.clientId ?? ''
    const path = `/auth/console/clients/${id}`
    expect(created.status).toBe(200)
    expect(created.text).toContain(id)
    expect(created.text).toMatch(/class="mono">[\w-]{43}</)
    expect(client?.redirectUris).toHaveLength(2)

    await act(path, 'change', { client_name: 'Store', was_client_name: 'Shop' })
    expect(await oauth.getClient(id)).toMatchObject({
      clientName: 'Store',
      redirectUris: client?.redirectUris,
    })
    expect((await act(path, 'new-secret', {})).text).toMatch(/class="mono">[\w-]{43}</)

    const wrong = await act(path, 'delete', { confirmation: 'yes' })
    expect(wrong.status).toBe(400)
    const deleted = await act(path, 'delete', { confirmation: id })
    expect(deleted.status).toBe(303)
    expect(deleted.entry).toMatchObject({ actor_id: operator.user.id })
    await expect(oauth.getClient(id)).rejects.toMatchObject({ code: 'oauth_client_not_found' })
  })

  it('shortens the names of clients, as the consent page does', async () => {
    const { oauth } = auth.auth.admin
    const redirectUris = ['https://long.example.test/callback']
    const clientName = `Shop ${'x'.repeat(200)}`
    const { clientId } = await oauth.createClient({ redirectUris, clientName })
    const shown = `Shop ${'x'.repeat(74)}…`
    try {
      const list = await operator.get('/auth/console/clients')
      const client = await operator.get(`/auth/console/clients/${clientId}`)
      const secret = await act(`/auth/console/clients/${clientId}`, 'new-secret', {})

      for (const { text } of [list, client, secret]) {
        expect(text).toContain(shown)
        // The field that changes the name contains all of it.
        expect(text.replaceAll(`value="${clientName}"`, '')).not.toContain(clientName)
      }
    } finally {
      await oauth.deleteClient(clientId)
    }
  })

  it('lists OAuth clients by key', async () => {
    const { oauth } = auth.auth.admin
    const redirectUris = ['https://many.example.test/callback']
    const ids: string[] = []
    for (let at = 0; at < 60; at += 1) {
      ids.push((await oauth.createClient({ redirectUris, clientName: `many ${at}` })).clientId)
    }
    const linksIn = (text: string) => ids.filter((id) => text.includes(`/clients/${id}"`))
    const first = await operator.get('/auth/console/clients')
    const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1] ?? ''
    // A client that is created or deleted meanwhile moves no other to another page.
    await oauth.createClient({ redirectUris, clientName: 'later' })
    const second = await operator.get(next.replaceAll('&amp;', '&'))
    expect(linksIn(first.text)).toHaveLength(50)
    expect([...linksIn(first.text), ...linksIn(second.text)].toSorted()).toEqual(ids.toSorted())
    expect((await operator.get('/auth/console/clients?cursor=x')).status).toBe(400)
    for (const id of ids) await oauth.deleteClient(id)
  })

  it('registers, changes, disables, enables and deletes a provider', async () => {
    const { customProviders } = auth.auth.admin
    const { text } = await operator.get('/auth/console/providers/new?type=oauth2')
    expect(text).toContain('name="token_url"')
    expect(text).not.toContain('name="issuer"')
    const identifier = 'custom:guild'
    const typed = {
      name: 'Guild',
      client_id: 'guild-client',
      authorization_url: clubProvider.authorizationUrl,
      token_url: clubProvider.tokenUrl,
      userinfo_url: clubProvider.userinfoUrl,
      scopes: 'profile email',
      attribute_mapping: '{"full_name": "display"}',
      // The box was unchecked.
      pkce_enabled: '',
    }
    const was = Object.fromEntries(
      Object.keys(typed).map((name) => [`was_${name}`, name === 'pkce_enabled' ? 'on' : '']),
    )
    const create = { provider_type: 'oauth2', identifier, client_secret: 'guild-secret' }
    const created = await act('/auth/console/providers/new', 'create', {
      ...create,
      ...typed,
      ...was,
    })
    expect(created.status).toBe(303)
    expect(created.entry).toMatchObject({ actor_id: operator.user.id })
    const path = `/auth/console/providers/${identifier}`
    expect(await customProviders.getProvider(identifier)).toMatchObject({
      name: 'Guild',
      enabled: true,
      pkceEnabled: false,
      scopes: ['profile', 'email'],
      attributeMapping: { full_name: 'display' },
    })
    const shown = await operator.get(path)
    expect(shown.text).not.toContain('guild-secret')

    // Another operator changed the name meanwhile.
    await customProviders.updateProvider(identifier, { name: 'Renamed' })
    await act(path, 'change', {
      name: 'Guild',
      was_name: 'Guild',
      scopes: 'profile',
      was_scopes: 'profile email',
    })
    expect(await customProviders.getProvider(identifier)).toMatchObject({
      name: 'Renamed',
      scopes: ['profile'],
    })
    const rejected = await operator.submit(path, 'change', {
      attribute_mapping: '[1]',
      was_attribute_mapping: '',
    })
    expect(rejected.text).toContain('attribute_mapping: enter a JSON object')

    await act(path, 'disable', {})
    expect((await customProviders.getProvider(identifier)).enabled).toBe(false)
    await act(path, 'enable', {})
    expect((await customProviders.getProvider(identifier)).enabled).toBe(true)
    expect((await act(path, 'delete', { confirmation: 'custom:other' })).status).toBe(400)
    const deleted = await act(path, 'delete', { confirmation: identifier })
    expect(deleted.entry).toMatchObject({ actor_id: operator.user.id })
    await expect(customProviders.getProvider(identifier)).rejects.toMatchObject({ status: 404 })
  })

  it('ends the access of an application to an account', async () => {
    const user = await given()
    const { oauth } = auth.auth.admin
    await auth.rows(
      `insert into auth.oauth_consents (id, user_id, client_id, scopes, resources, granted_at)
        values (gen_random_uuid(), $1, $2, '["email"]', '[]', now())`,
      [user.id, clientId],
    )
    const shown = await operator.get(pageOf(user.id))
    expect(shown.text).toContain(`name="client_id" value="${clientId}"`)
    const revoked = await act(pageOf(user.id), 'revoke-grant', { client_id: clientId })
    expect([revoked.status, await oauth.listGrants(user.id)]).toEqual([303, []])
    expect(revoked.entry).toMatchObject({ actor_id: operator.user.id, user_id: user.id })
  })

  it('rotates the signing key', async () => {
    const count = async () => (await auth.rows('select id from auth.signing_keys')).length
    const before = await count()
    const answer = await act('/auth/console/keys', 'rotate', {})
    expect(answer.status).toBe(303)
    expect(await count()).toBe(before + 1)
    expect(answer.entry).toMatchObject({ actor_id: operator.user.id })
  })

  it('retries and discards failed messages', async () => {
    await auth.rows(
      `insert into auth.outbox_messages (id, channel, kind, recipient, body, status, attempts, created_at, settled_at)
      select gen_random_uuid(), 'events', 'recovery', 'r' || n || '@x.test', 'sealed', 'failed', 3, now(), now()
      from generate_series(1, 2) n`,
    )
    const failed = () =>
      auth.rows<{ id: string }>(
        `select id from auth.outbox_messages where body = 'sealed' and status = 'failed'`,
      )
    const [first, second] = await failed()
    const path = '/auth/console/outbox?status=failed'
    expect((await operator.get(path)).text).toContain('r1@x.test')

    expect((await act(path, 'discard', { id: first?.id ?? '' })).status).toBe(303)
    const retried = await act(path, 'retry', { id: second?.id ?? '' })
    expect([retried.status, await failed()]).toEqual([303, []])
    expect(retried.entry).toMatchObject({ actor_id: operator.user.id })
  })

  it('keeps a form with a password that needs a new proof, and requires the password again', async () => {
    const strong = await browsers.strong(operatorRole)
    const user = await given()
    const path = pageOf(user.id)
    const shown = await strong.get(path)
    auth.clock.advance(3_601)
    const fields = { form_token: strong.tokenIn(shown.text), password: 'another horse' }
    const unsent = await strong.send(
      'POST',
      `${path}?do=password`,
      `${new URLSearchParams(fields)}`,
    )
    expect(unsent.status).toBe(403)
    expect(unsent.text).not.toContain('another horse')
    expect(unsent.text).toMatch(/name="password" type="password"[^>]* required/)
    operator = await openOperator()
    viewer = await browsers.strong(viewerRole)

    const empty = await operator.submit(path, 'password', { password: '' })
    expect([empty.status, empty.text.includes('fill in this field')]).toEqual([400, true])
  })

  it('counts no statement of its own among those that wait for a connection', async () => {
    const { text } = await operator.get('/auth/console/health')

    expect(text).toContain('; 0 statements wait')
  })

  it('checks mail server and providers on request, once for several requests', async () => {
    const other = await auth.beside({
      siteUrl: origin,
      basePath: '/auth',
      jwt: {},
      encryptionKey: 'an encryption key of more than 32 bytes',
      hooks: { sendEmail: undefined },
      email: { from: 'no-reply@example.test', smtp: { host: '127.0.0.1', port: 1 } },
      console: { enabled: true },
    })
    const page = async (query: string) => {
      const response = await other.auth.fetch(
        new Request(`${origin}/auth/console/health${query}`, {
          headers: { cookie: [...operator.jar].map((pair) => pair.join('=')).join('; ') },
        }),
      )
      return response.text()
    }
    expect(await page('')).not.toContain('ECONNREFUSED')
    const [first, second] = await Promise.all([page('?check=outside'), page('?check=outside')])
    expect(first).toMatch(/ECONNREFUSED[\s\S]*email\.smtp\.port/)
    const checkedAt = (text = '') => /Checked at <time[^>]*>([^<]+)/.exec(text)?.[1]
    expect(checkedAt(first)).toBe(checkedAt(second))
    await other.close()
  })

  it('reads German and French', async () => {
    const user = await given()
    const headings = { de: 'Anmeldemethoden', fr: 'Méthodes de connexion' }
    for (const [language, heading] of Object.entries(headings)) {
      const { text } = await operator.get(pageOf(user.id), { 'accept-language': language })
      expect(text).toContain(`<html lang="${language}"`)
      expect(text).toContain(heading)
    }
    const chosen = await operator.get('/auth/console/users?q=x&lang=de')
    expect(chosen.text).toContain('Suchen')
    await operator.get('/auth/console?lang=en')
  })

  it('reads the reason for a rejected request', async () => {
    const credentials = { email: 'x@x.test', password: 'y' }
    const rejected = await auth.post('/auth/token?grant_type=password', credentials)
    const id = rejected.headers.get('x-request-id') ?? ''
    const { text } = await operator.get(`/auth/console/decisions?request=${id}`)
    expect(text).toContain('invalid_credentials')
  })

  it('reads the reasons of the latest requests of a user', async () => {
    const { user, accessToken } = await auth.given.session()
    await auth.post('/auth/logout', {}, { token: accessToken })
    const credentials = { email: user.email, password: 'wrong horse' }
    await auth.post('/auth/token?grant_type=password', credentials)
    const { text } = await operator.get(`/auth/console/decisions?user=${user.id}`)
    expect(text).toContain('invalid_credentials')
  })

  it('reads the reasons about a user whom code changed in calls with names of its own', async () => {
    const user = await given()
    await auth.auth.admin.updateUser(user.id, { role: 'editor' }, { requestId: 'job no. 7' })
    const { status, text } = await operator.get(`/auth/console/decisions?user=${user.id}`)
    expect(status).toBe(200)
    expect(text).toContain('No decision')
  })

  it('downloads the audit log as CSV without formulas', async () => {
    const user = await given('formula@console.test')
    await operator.submit(pageOf(user.id), 'ban', { reason: '=cmd()' })
    const { headers, text } = await operator.get(`/auth/console/audit.csv?user=${user.id}`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(text).toMatch(/^id,created_at,action/)
    expect(text).toContain('formula@console.test')
  })

  it('sees no secret in the configuration', async () => {
    const { text } = await operator.get('/auth/console/configuration')
    expect(text).not.toContain('an encryption key of more')
    expect(text).toContain('encryptionKey')
    expect(text).toContain('Set, hidden')
  })

  it('sees no members of a logger in the configuration', async () => {
    const { text } = await operator.get('/auth/console/configuration?q=logger')

    expect(text).toContain('an object of the application')
    expect(text).not.toContain('debug')
  })

  it('sees redirect targets as configured, and no value in place of an empty one', async () => {
    const { text } = await operator.get('/auth/console/configuration?q=')
    const rowOf = (name: string) =>
      text.split('<tr>').find((row) => row.includes(`>${name}<`)) ?? ''
    expect(rowOf('redirects.allowList')).toContain(`[&quot;${origin}/auth/**&quot;]`)
    expect(rowOf('email.smtp.headers')).toContain('Not set')
  })

  it('is rejected where the form was not made for the browser or its origin', async () => {
    const user = await given()
    const headers = { origin: 'https://evil.example.test' }
    const foreign = await operator.submit(pageOf(user.id), 'ban', { reason: 'x' }, headers)
    const forged = await operator.submit(pageOf(user.id), 'ban', { reason: 'x', form_token: 'x' })
    expect([foreign.status, forged.status]).toEqual([403, 403])
    expect((await auth.auth.admin.getUser(user.id)).bannedUntil).toBeNull()
  })
})

describe('the sign-in methods of a user', () => {
  it('are deleted one by one, and the password is replaced', async () => {
    const { id } = await given()
    const path = pageOf(id)
    const [one] = await auth.rows<{ id: string }>(
      `with f as (
        insert into auth.factors (id, user_id, factor_type, status, created_at, updated_at)
        values (gen_random_uuid(), $1, 'totp', 'verified', now(), now()) returning id
      ), p as (
        insert into auth.passkeys (id, user_id, credential_id, public_key, sign_count, transports, attestation_format,
          aaguid, backup_eligible, backed_up, friendly_name, created_at, updated_at)
        select id, $1, id::text, 'key', 0, '[]', 'none', id, false, false, 'Phone', now(), now() from f
      ), s as (
        insert into auth.sessions (select (jsonb_populate_record(s, jsonb_build_object('id', f.id, 'user_id', $1::text))).*
        from auth.sessions s, f where s.user_id = $2 limit 1)
      )
      insert into auth.trusted_devices (id, user_id, secret_hash, created_at, last_used_at, expires_at)
      select id, $1, repeat('a', 64), now(), now(), '2100-01-01' from f returning id`,
      [id, operator.user.id],
    )
    const method = one?.id ?? ''

    for (const [action, fields] of [
      ['end-session', { session_id: method }],
      ['delete-device', { device_id: method }],
      ['delete-passkey', { passkey_id: method }],
      ['delete-factor', { factor_id: method }],
      ['password', { password: 'another horse' }],
    ] as const) {
      const { status, text, entry } = await act(path, action, fields)
      expect([action, status, text]).toEqual([action, 303, ''])
      expect(entry).toMatchObject({ actor_id: operator.user.id, user_id: id })
    }
  })
})

describe('every action', () => {
  it('is performed by a test above', () => {
    const all = actions.map(([path, name]) => `${path} ${name}`)
    // `src/capabilities/console/mails.test.ts` sends the mail, which changes nothing.
    expect(all.filter((one) => !performed.has(one))).toEqual(['/console/mails test'])
  })

  it('leaves an audit entry that names the operator', () => {
    expect([...performed].filter(([, isRecorded]) => !isRecorded)).toEqual([])
  })
})

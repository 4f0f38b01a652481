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
  operator = await browsers.strong(operatorRole)
  viewer = await browsers.strong(viewerRole)
})
afterAll(() => auth?.close())

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
  const nasty = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`

  it.each(consoleRoutes.map(({ path }) => path))('%s shows values as text', async (path) => {
    const user = await auth.auth.admin.createUser({
      email: `xss${Math.random().toString(36).slice(2)}@console.test`,
      userMetadata: { name: nasty, full_name: nasty },
      appMetadata: { [nasty]: nasty },
    })
    await auth.auth.admin.banUser(user.id, { reason: nasty })
    const query = new URLSearchParams(
      Object.fromEntries(
        ['q', 'status', 'request', 'author', 'action', 'lang', 'kind', 'source', 'redirect_to'].map(
          (name) => [name, nasty],
        ),
      ),
    )
    for (const search of ['', `?${query}`]) {
      const url = `/auth${path.replace(':id', user.id)}${search}`
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
  return browser.send('POST', `/auth${path.replace(':id', userId)}?do=${name}`, `${form}`)
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
      const answer = await browser.get(`/auth${path.replace(':id', target.id)}`)
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

describe('a viewer', () => {
  it('reads every page that changes nothing', async () => {
    const target = await given()
    for (const { path } of consoleRoutes) {
      const answer = await viewer.get(`/auth${path.replace(':id', target.id)}`)
      const expected = path === '/console/users/new' ? 403 : 200
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

    const asked = await strong.get(path)
    const steps = asked.headers.get('location') ?? ''
    expect(steps).toMatch(/^\/auth\/second-factor\?redirect_to=/)
    const proof = { factor_id: strong.factorId, code: strong.code() }
    const proved = await strong.submit(steps, 'verify', proof)

    expect(proved.headers.get('location')).toBe(`${origin}${path}`)
    expect((await strong.get(path)).status).toBe(200)
    operator = await browsers.strong(operatorRole)
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
    operator = await browsers.strong(operatorRole)
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
    expect(answer.text).toContain('reason: is required')
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

  it('keeps the typed values of a rejected form', async () => {
    const user = await given()
    const typed = '{"unfinished": '
    const fields = { user_metadata: typed, was_user_metadata: '{}' }
    const answer = await operator.submit(pageOf(user.id), 'change', fields)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('{&quot;unfinished&quot;: ')
    expect(answer.text).toContain('user_metadata: has to be an object in JSON')
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

  it('changes the own account on the account pages only', async () => {
    const { user } = operator
    const answer = await operator.submit(pageOf(user.id), 'delete-factor', {
      factor_id: operator.factorId,
    })
    expect(answer.status).toBe(400)
    expect(await auth.auth.admin.listFactors(user.id)).toHaveLength(1)
  })

  it('deletes an OAuth client after its id is typed', async () => {
    const { oauth } = auth.auth.admin
    const redirectUris = ['https://client.example.test/callback']
    const { clientId } = await oauth.createClient({ redirectUris, clientName: '<b>Shop' })
    const path = '/auth/console/clients'
    expect((await operator.get(path)).text).toContain('&lt;b&gt;Shop')

    const wrong = await act(path, 'delete', { client_id: clientId, confirmation: 'yes' })
    expect([wrong.status, (await oauth.listClients()).total]).toEqual([400, 1])
    const fields = { client_id: clientId, confirmation: clientId }
    const deleted = await act(path, 'delete', fields)
    expect([deleted.status, (await oauth.listClients()).total]).toEqual([303, 0])
    expect(deleted.entry).toMatchObject({ actor_id: operator.user.id })
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

  it('is rejected where the form was not made for the browser or its origin', async () => {
    const user = await given()
    const headers = { origin: 'https://evil.example.test' }
    const foreign = await operator.submit(pageOf(user.id), 'ban', { reason: 'x' }, headers)
    const forged = await operator.submit(pageOf(user.id), 'ban', { reason: 'x', form_token: 'x' })
    expect([foreign.status, forged.status]).toEqual([403, 403])
    expect((await auth.auth.admin.getUser(user.id)).bannedUntil).toBeNull()
  })
})

import { Parser } from 'htmlparser2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConsoleBrowser,
  consoleBrowsers,
  operatorRole,
} from '../../../test/support/console.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { consoleRoutes } from './open-console.ts'

// Values of attackers, and requests of other sites, at every page and form of the console.

const corpus = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '" autofocus onfocus=alert(1) x="',
  '</textarea><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</pre></dd><iframe srcdoc="<script>alert(1)</script>">',
  'javascript:alert(1)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '{{constructor.constructor("alert(1)")()}}',
  '\u2028<b>\u202e</b>',
]
const everything = corpus.join(' ')

let auth: MessagingAuth
let operator: ConsoleBrowser
let userId: string
let clientId: string
const provider = 'custom:hostile'

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    jwt: {},
    encryptionKey: 'an encryption key of more than 32 bytes',
    usernames: { enabled: true },
    mfa: { trustedDevices: { enabled: true } },
    oauthServer: { enabled: true, authorizationPath: '/consent' },
    pages: { name: corpus[1] ?? '' },
    console: { enabled: true },
  })
  operator = await consoleBrowsers(auth).strong(operatorRole)
  const { admin, api } = auth.auth
  const { user, accessToken } = await auth.given.session()
  userId = user.id
  await admin.updateUser(userId, {
    role: everything.slice(0, 200),
    userMetadata: { [everything]: everything },
    appMetadata: { [everything]: everything },
  })
  await api.enrollFactor({
    accessToken,
    factorType: 'totp',
    friendlyName: `\u202e${everything.slice(0, 89)}`,
  })
  await auth.rows('update auth.sessions set user_agent = $1 where user_id = $2', [
    everything,
    userId,
  ])
  await auth.rows(
    `insert into auth.trusted_devices (id, user_id, secret_hash, user_agent, created_at, last_used_at, expires_at)
      values (gen_random_uuid(), $1, repeat('a', 64), $2, now(), now(), now() + interval '9 years')`,
    [userId, everything],
  )
  await admin.banUser(userId, { reason: everything.slice(0, 400) })
  const redirectUris = ['https://client.example.test/callback']
  const client = await admin.oauth.createClient({ redirectUris })
  clientId = client.clientId
  // A registration rejects such a name.
  await auth.rows('update auth.oauth_clients set client_name = $2 where id = $1', [
    clientId,
    everything,
  ])
  await auth.rows(
    `insert into auth.oauth_consents (id, user_id, client_id, scopes, resources, granted_at)
      values (gen_random_uuid(), $1, $2, $3, '[]', now())`,
    [userId, clientId, JSON.stringify([everything])],
  )
  await admin.customProviders.createProvider({
    providerType: 'oauth2',
    identifier: provider,
    name: everything.slice(0, 100),
    clientId: everything.slice(0, 400),
    clientSecret: 'secret',
    authorizationUrl: 'https://93.184.216.34/authorize',
    tokenUrl: 'https://93.184.216.34/token',
    userinfoUrl: 'https://93.184.216.34/me',
    attributeMapping: { [everything]: everything },
  })
  await auth.rows(
    `insert into auth.outbox_messages (id, channel, kind, recipient, body, status, attempts, last_error, created_at, settled_at)
      values (gen_random_uuid(), 'events', 'recovery', $1, 'x', 'failed', 3, $1, now(), now())`,
    [everything],
  )
})
afterAll(() => auth?.close())

const pathAt = (path: string): string =>
  `/auth${path
    .replace('clients/:id', `clients/${clientId}`)
    .replace('providers/:id', `providers/${provider}`)
    .replace(':id', userId)}`

const parameters = [
  'q',
  'status',
  'request',
  'user',
  'actor',
  'author',
  'action',
  'since',
  'kind',
  'source',
  'type',
  'check',
  'redirect_to',
]

/** Returns the parts of a document that could run a script, and its links that are no web links. */
function dangersIn(text: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const isOwn = attributes['nonce'] !== undefined && attributes['src']?.startsWith('/auth/')
      if (name === 'script' && !isOwn) found.push('script')
      if (['base', 'object', 'embed', 'svg/onload'].includes(name)) found.push(name)
      if (name === 'iframe' && attributes['sandbox'] === undefined) found.push('iframe')
      for (const [attribute, value] of Object.entries(attributes)) {
        if (/^on/.test(attribute) || attribute === 'srcdoc') found.push(attribute)
        const isUrl = ['href', 'src', 'action', 'formaction'].includes(attribute)
        if (isUrl && /^\s*(javascript|data:text|vbscript)/i.test(value)) found.push(value)
      }
    },
  })
  parser.end(text)
  return found
}

it('finds the dangers of the corpus where it is not escaped', () => {
  expect(dangersIn(everything).length).toBeGreaterThan(4)
})

it('shows hidden characters of metadata and factors as escape sequences', async () => {
  const { text } = await operator.get(`/auth/console/users/${userId}`)
  const elements = [...text.matchAll(/<(pre|textarea)\b[\s\S]*?<\/\1>/g)].map(([one]) => one)
  const cells = [...text.matchAll(/<td\b[^>]*>\\u202e&lt;script/g)]

  expect(elements.join('')).not.toMatch(/[\u2028\u202e]/)
  expect(elements.filter((one) => one.includes('\\u202e'))).toHaveLength(4)
  expect(cells).toHaveLength(1)
})

describe.each(consoleRoutes)('the page $path', ({ path, actions = {} }) => {
  it('shows values of users and of the query as text', async () => {
    const query = new URLSearchParams(
      Object.fromEntries(parameters.map((name) => [name, everything])),
    )
    for (const search of ['', `?${query}`]) {
      const { status, headers, text } = await operator.get(`${pathAt(path)}${search}`)
      expect(status).toBeLessThan(500)
      if (/html/.test(headers.get('content-type') ?? '')) expect(dangersIn(text)).toEqual([])
    }
  })

  it('is neither framed by another site nor stored by a cache', async () => {
    const { headers } = await operator.get(pathAt(path))
    const frames = path === '/console/mails/preview' ? "'self'" : "'none'"
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    if (!/html/.test(headers.get('content-type') ?? '')) return
    expect(headers.get('content-security-policy')).toContain(`frame-ancestors ${frames}`)
    if (frames === "'none'") expect(headers.get('x-frame-options')).toBe('DENY')
  })

  const names = Object.keys(actions)
  if (names.length === 0) return

  it.each(names)('shows the values of a rejected form as text: %s', async (name) => {
    const fields = ['email', 'phone', 'name', 'client_name', 'identifier', 'reason', 'duration']
    const typed = Object.fromEntries(
      [...fields, 'user_metadata', 'jwks', 'attribute_mapping', 'confirmation', 'id'].flatMap(
        (field) => [
          [field, everything],
          [`was_${field}`, everything.slice(1)],
        ],
      ),
    )
    // A token that ended: nothing is changed, and the page shows the typed values.
    const answer = await operator.submit(pathAt(path), name, { ...typed, form_token: 'x' })
    expect(answer.status).toBe(403)
    expect(dangersIn(answer.text)).toEqual([])
  })

  it.each(names)('accepts no form of another site or session: %s', async (name) => {
    const before = await stateOfAll()
    const attacker = openBrowser(auth)
    const stolen = attacker.tokenIn((await attacker.get('/auth/sign-in')).text)
    for (const form_token of ['', 'x', stolen]) {
      const answer = await operator.submit(pathAt(path), name, { form_token })
      expect(answer.status).toBe(403)
    }
    for (const other of ['https://evil.example.test', 'null', 'http://app.example.test']) {
      const answer = await operator.submit(pathAt(path), name, {}, { origin: other })
      expect([other, answer.status]).toEqual([other, 403])
    }
    expect(await stateOfAll()).toEqual(before)
  })
})

/** Returns the state that the forms change. */
const stateOfAll = async () =>
  auth.rows(`select
    (select jsonb_agg(jsonb_build_array(id, version) order by id) from auth.users) as users,
    (select count(*)::int from auth.oauth_clients) as clients,
    (select count(*)::int from auth.custom_providers where enabled) as providers,
    (select count(*)::int from auth.signing_keys) as keys,
    (select count(*)::int from auth.outbox_messages where status = 'failed') as failed,
    (select count(*)::int from auth.factors) as factors,
    (select count(*)::int from auth.oauth_consents) as consents`)

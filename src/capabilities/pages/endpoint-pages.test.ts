import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confirmationForm } from '../../../test/support/confirmation-page.ts'
import {
  clubMember,
  clubSettings,
  type FakeRealm,
  openBrowser,
  redirectOf,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type Linking, linking } from '../../../test/support/linking.ts'
import { asOauthServer } from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

const logoUrl = 'https://cdn.example.test/logo.svg'

let realm: FakeRealm
let auth: TestAuth
let identities: Linking

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startTestAuth({
    ...asOauthServer,
    siteUrl: 'https://app.example.test',
    security: { manualLinkingEnabled: true },
    links: { confirm: 'button' },
    providers: { club: clubSettings(realm, { emailOptional: true }) },
    pages: {
      enabled: true,
      name: 'Acme',
      logoUrl,
      theme: { accent: '#0a7d33' },
      texts: {
        es: { 'link.signup.heading': 'Confirme su correo', 'linking.link': 'Vincular' },
        en: { 'link.message': 'Our own sentence.' },
      },
    },
  })
  identities = linking(auth, realm)
})
afterAll(async () => {
  await auth?.close()
  await realm?.close()
})

const link = '/verify?token=abc&type=signup'

describe('the page of a mailed link', () => {
  it('has theme, logo and texts of the pages', async () => {
    const { status, text, headers } = await auth.get(link)

    expect(status).toBe(200)
    expect(text).toContain('--accent:#0a7d33')
    expect(text).toContain(`<img src="${logoUrl}" alt="Acme">`)
    expect(headers.get('content-security-policy')).toContain('https://cdn.example.test')
    expect(text).toContain('Our own sentence.')
  })

  it('has the languages that the application added', async () => {
    const preferred = await auth.get(link, { headers: { 'accept-language': 'es' } })
    const chosen = await auth.get(`${link}&lang=es`)

    for (const { text } of [preferred, chosen]) {
      expect(text).toContain('<html lang="es"')
      expect(text).toContain('<h1>Confirme su correo</h1>')
    }
  })

  it('has a form that uses the link', async () => {
    const token = await auth.given.serviceToken()
    const body = { type: 'signup', email: 'ada@example.test', password: 'correct horse' }
    const made = await auth.post('/admin/generate_link', body, { token })
    const { text } = await auth.get(`/verify${new URL(made.body.action_link).search}`)
    const fields = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
    const form = new URLSearchParams(
      fields.map(([, name = '', value = '']): [string, string] => [name, value]),
    )
    const used = await auth.post('/verify', `${form}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

    expect(text).toMatch(/<form method="post" action="[^"]*\/verify">/)
    expect([used.status, used.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('#access_token='),
    ])
  })

  it.each(['/verify?type=signup', '/verify?token=x', `${link}&token=y`])(
    'rejects %s as the endpoint does',
    async (path) => {
      const { status, body } = await auth.get(path)
      expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    },
  )
})

describe('the page that confirms the linking of an identity', () => {
  it('has theme, logo and languages of the pages, and links the identity', async () => {
    const { accessToken } = await auth.given.session()
    const state = await identities.startLinking(accessToken, { provider: 'club' })
    const browser = openBrowser({
      request: (method, path, options = {}) =>
        auth.request(method, path, {
          ...options,
          headers: { ...options.headers, 'accept-language': 'es' },
        }),
    })
    const page = await identities.callback(
      state,
      clubMember('club 1', [], { name: 'Ada' }),
      browser,
    )

    expect(page.status).toBe(200)
    expect(page.text).toContain('<html lang="es"')
    expect(page.text).toContain('--accent:#0a7d33')
    expect(page.text).toContain(`<img src="${logoUrl}" alt="Acme">`)
    expect(page.text).toContain('>Vincular</button>')
    // The state in the URL is consumed, so a link to another language would end at an error.
    expect(page.text).not.toContain('?lang=')

    redirectOf(await browser.submit('/callback', confirmationForm(page.text)))
    const linked = await identities.identitiesOf(accessToken)
    expect(linked.map(({ provider }) => provider)).toContain('club')
  })
})

describe('the page of an error of an endpoint', () => {
  const opened = { headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' } }
  const unknownClient = `client_id=${crypto.randomUUID()}&redirect_uri=https://app.example.test/`
  const unusable = 'This link or request cannot be used.'

  it.each([
    ['/verify?type=signup', unusable, 'token: Verify requires a token or a token hash'],
    ['/authorize?provider=nobody', unusable, 'Unsupported provider'],
    ['/oauth/authorize', unusable, 'client_id: is required'],
    [`/oauth/authorize?${unknownClient}`, 'This application is unknown.', 'OAuth client not found'],
    ['/oauth/logout', unusable, 'id_token_hint: has to be an ID token of this service'],
  ])('is shown to a browser that opens %s, and JSON to a program', async (path, lead, message) => {
    const page = await auth.get(path, opened)
    const { status, body } = await auth.get(path)

    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
    expect(page.text).toContain(lead)
    expect(page.text).toContain(message)
    expect([status, body.msg ?? body.message]).toEqual([400, expect.stringContaining(message)])
  })

  it('is shown for a path without an endpoint, with a way back', async () => {
    const page = await auth.get('/account/nothing', opened)
    const program = await auth.get('/account/nothing')
    const { status } = await auth.post('/account/nothing', {}, opened)

    expect([page.status, program.status, status]).toEqual([404, 404, 404])
    expect(page.text).toContain('This page does not exist.')
    expect(page.text).toMatch(/href="[^"]*\/sign-in"/)
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
    expect(page.headers.get('cache-control')).toContain('no-store')
    expect(program.body).toMatchObject({ error_code: 'not_found' })
  })

  it.each(['Your account is locked. Call +1 555 1234', 'Your_account_is_locked.Call_15551234'])(
    'shows no text of the URL: %s',
    async (name) => {
      const query = new URLSearchParams({ [name]: '\0' })
      const { status, text } = await auth.get(`/authorize?${query}`, opened)

      const visible = text.replace(/<[^>]*>/g, '')
      expect([status, visible.includes('locked')]).toEqual([400, false])
      expect(text).toContain('a parameter: holds characters that cannot be stored')
    },
  )

  it('is shown for a fault, too, which is logged', async () => {
    await auth.rows('alter table auth.oauth_states rename to oauth_states_away')
    const logged = auth.log.length
    const { status, text } = await auth
      .get('/authorize?provider=club', opened)
      .finally(() => auth.rows('alter table auth.oauth_states_away rename to oauth_states'))

    expect([status, text]).toEqual([500, expect.stringContaining('Something went wrong')])
    expect(text).toContain('Request ID')
    expect(auth.log.slice(logged).map(({ level }) => level)).toContain('error')
  })

  it('is JSON where the page itself cannot be shown', async () => {
    const { status, body } = await auth.get('/oauth/logout?redirect_to=a%00b', opened)

    expect([status, body.msg]).toEqual([400, expect.stringContaining('id_token_hint')])
  })

  it('is shown for a form, too', async () => {
    const form = { ...opened.headers, 'content-type': 'application/x-www-form-urlencoded' }
    const { status, text } = await auth.post('/oauth/authorize', unknownClient, { headers: form })

    expect([status, text]).toEqual([400, expect.stringContaining('This application is unknown.')])
  })
})

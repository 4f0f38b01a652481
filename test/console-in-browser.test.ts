import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { consoleRoutes } from '../src/capabilities/console/open-console.ts'
import type { User } from '../src/index.ts'
import { languages } from '../src/platform/kit/languages.ts'
import { mailKinds } from '../src/platform/mails/mails.ts'
import { describeInBrowser } from './support/browser.ts'
import { operatorRole, viewerRole } from './support/console.ts'
import { overflowsIn, unreachedIn, unsubmittedIn, violationsIn } from './support/page-checks.ts'
import { type PagesApp, startPagesApp } from './support/pages-app.ts'
import { secondFactors } from './support/second-factors.ts'
import { testPassword } from './support/test-auth.ts'

/** Screenshots for docs/console.md, where a folder for them is named. */
const screenshots = process.env['CONSOLE_SCREENSHOTS']

let app: PagesApp
/** The messages that the application's function accepts, while it does. */
let delivered: { to: string; subject: string; html: string }[] = []
let isCarrierDown = false

beforeAll(async () => {
  app = await startPagesApp({
    jwt: {},
    encryptionKey: 'an encryption key of more than 32 bytes',
    usernames: { enabled: true },
    oauthServer: { enabled: true, authorizationPath: '/consent' },
    mfa: { trustedDevices: { enabled: true } },
    hooks: { sendEmail: undefined },
    email: {
      from: 'Acme <no-reply@acme.test>',
      send: async (mail) => {
        if (isCarrierDown) throw new Error('down')
        delivered.push(mail)
      },
    },
    console: { enabled: true },
  })
})
afterAll(() => app?.close())

let count = 0
const newUser = (): Promise<User> => app.auth.given.user(`ada${count++}@needle.test`)

/** Creates a user of the console with an authenticator app, whose code is returned. */
async function consoleUser(role: string) {
  const { user, accessToken } = await app.auth.given.session()
  const { api, admin } = app.auth.auth
  const enrolled = await api.enrollFactor({ accessToken, factorType: 'totp', friendlyName: 'app' })
  const secret = enrolled.totp?.secret ?? ''
  const factorId = enrolled.id
  const { id: challengeId } = await api.challengeFactor({ accessToken, factorId })
  const code = () => secondFactors(app.auth).codeOf({ secret })
  await api.verifyFactor({ accessToken, factorId, challengeId, code: code() })
  await admin.updateUser(user.id, { role })
  app.auth.clock.advance(30)
  return { user, code }
}

async function signIn(page: Page, role: string) {
  // An element that is missing fails the test at once, not its time limit.
  page.setDefaultTimeout(20_000)
  const { user, code } = await consoleUser(role)
  await page.goto(`${app.pages}/console`)
  await page.locator('[name=identifier]').fill(user.email ?? '')
  await page.locator('input[type=password]').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('[name=code]').first().fill(code())
  await page.locator('[name=code]').first().press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return user
}

for (const javaScriptEnabled of [true, false]) {
  describeInBrowser(
    `the console, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    ({ open }) => {
      const complaints: string[] = []
      afterEach(() => expect(complaints.splice(0)).toEqual([]))

      const windowOf = async (role = operatorRole) => {
        const page = await open({ ignoreHTTPSErrors: true, javaScriptEnabled, locale: 'en-GB' })
        page.on('pageerror', ({ message }) => complaints.push(message))
        page.on('console', (message) => {
          const isExpected = /status of 4|Blocked script execution/.test(message.text())
          if (message.type() === 'error' && !isExpected) complaints.push(message.text())
        })
        return { page, user: await signIn(page, role) }
      }
      const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
      const menu = (page: Page, name: string) =>
        page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click()
      const notice = (page: Page, text: string) =>
        page.getByRole('status').getByText(text).waitFor()
      async function find(page: Page, user: User) {
        await menu(page, 'Users')
        await page.getByLabel('Search').fill((user.email ?? '').slice(0, 8))
        await button(page, 'Search').click()
        await page.getByRole('link', { name: user.email ?? '', exact: true }).click()
        await page.getByRole('heading', { level: 1, name: user.email ?? '' }).waitFor()
      }

      it('finds a user, bans with a reason, shows the operator, and lifts the ban', async () => {
        const target = await newUser()
        const { page, user } = await windowOf()
        await find(page, target)
        await page.getByLabel('Reason').fill('sends spam')
        await button(page, `Ban ${target.email}`).click()
        await notice(page, 'The user was banned')

        const row = page.getByRole('row').filter({ hasText: 'Ban: sends spam' })
        expect(await row.textContent()).toContain(user.email ?? '')
        await button(page, `Lift the ban on ${target.email}`).click()
        await notice(page, 'The ban was lifted')
        expect((await app.auth.auth.admin.getUser(target.id)).bannedUntil).toBeNull()
      })

      it('rotates a signing key', async () => {
        const { page } = await windowOf()
        await menu(page, 'Signing keys')
        await button(page, 'Publish a new signing key').click()
        await notice(page, 'A new signing key was published')
        await page.getByRole('cell', { name: 'Published' }).first().waitFor()
      })

      it('resends a failed mail', async () => {
        const { email } = await newUser()
        const { page } = await windowOf()
        isCarrierDown = true
        await app.auth.post('/auth/recover', { email })
        await (await app.auth.deps()).outbox.settled()
        await app.auth.rows(
          `update auth.outbox_messages set status = 'failed', next_attempt_at = null where recipient = $1`,
          [email],
        )
        isCarrierDown = false
        await menu(page, 'Outbox')
        await page.getByLabel('Status').selectOption('failed')
        await button(page, 'Filter').click()
        const row = page.getByRole('row').filter({ hasText: email ?? '' })
        await row.getByRole('button', { name: 'Send now' }).click()
        await notice(page, 'The message will be sent within seconds')
        await expect
          .poll(() => delivered.some(({ to }) => to === email), { timeout: 10_000 })
          .toBe(true)
      })

      it('previews every kind of mail, and sends a test', { timeout: 120_000 }, async () => {
        const { page, user } = await windowOf()
        await menu(page, 'Mails')
        for (const kind of mailKinds) {
          await page.getByLabel('Kind').selectOption(kind)
          await page.getByLabel('Width').selectOption('phone')
          await page.getByLabel('Colors').selectOption('dark')
          await button(page, 'Preview').click()
          const subject = (await page.locator('dd').first().textContent()) ?? ''
          expect(subject).not.toBe('')
          const frame = page.frameLocator('.preview iframe')
          await frame.locator('body').filter({ hasText: /\w/ }).waitFor()
        }
        delivered = []
        await button(page, `Send a test to ${user.email}`).click()
        await notice(page, 'The mail was sent to')
        expect(delivered.map(({ to }) => to)).toEqual([user.email])
      })

      it('exports a user, and erases one after the address is typed', async () => {
        const target = await newUser()
        const { page } = await windowOf()
        await find(page, target)
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          button(page, 'Export data').click(),
        ])
        expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toHaveProperty('user')
        await page.reload()
        await page.getByLabel(/to confirm/).fill(target.email ?? '')
        await button(page, `Erase ${target.email}`).click()
        await notice(page, 'All personal data of the user was erased')
        expect(await app.auth.auth.admin.findUser({ id: target.id })).toBeNull()
      })

      it('registers, disables and deletes a provider', async () => {
        const { page } = await windowOf()
        const identifier = `custom:club${javaScriptEnabled ? 1 : 2}`
        await menu(page, 'Providers')
        await page.getByRole('link', { name: 'New OAuth 2.0 provider' }).click()
        await page.getByLabel('Identifier').fill(identifier)
        await page.getByLabel('Name', { exact: true }).fill('Club')
        await page.getByLabel('Client ID').fill('club-client')
        await page.getByLabel('Client secret').fill('club-secret')
        await page.getByLabel('Authorization endpoint').fill('https://93.184.216.34/authorize')
        await page.getByLabel('Token endpoint').fill('https://93.184.216.34/token')
        await page.getByLabel('UserInfo endpoint').fill('https://93.184.216.34/me')
        await button(page, 'Register provider').click()
        await notice(page, 'The provider was registered')

        await button(page, 'Disable Club').click()
        await notice(page, 'The provider was disabled')
        const { customProviders } = app.auth.auth.admin
        expect((await customProviders.getProvider(identifier)).enabled).toBe(false)
        await page.getByLabel(/to confirm/).fill(identifier)
        await button(page, 'Delete Club').click()
        await notice(page, 'The provider was deleted')
      })

      it('creates an OAuth client, and deletes it', async () => {
        const { page } = await windowOf()
        await menu(page, 'OAuth clients')
        await page.getByRole('link', { name: 'New client' }).click()
        await page.getByLabel('Name', { exact: true }).fill('Shop')
        await page.getByLabel('Redirect URIs', { exact: true }).fill('https://shop.example.test/cb')
        await button(page, 'Create client').click()
        await page.getByText('The secret is shown once').waitFor()
        await page.getByRole('link', { name: 'Show client' }).click()
        const id = page.url().split('/').at(-1) ?? ''
        await page.getByLabel(/to confirm/).fill(id)
        await button(page, 'Delete Shop').click()
        await notice(page, 'The client was deleted')
      })

      it('changes its language', async () => {
        const { page } = await windowOf()
        await menu(page, 'Users')
        await page.getByRole('link', { name: 'Deutsch' }).click()
        await page.getByRole('heading', { level: 1, name: 'Benutzer' }).waitFor()
        await page.getByRole('navigation', { name: 'Konsole' }).getByText('Grenzwerte').click()
        await page.getByRole('heading', { level: 1, name: 'Grenzwerte' }).waitFor()
      })

      it('explains the response to a request', async () => {
        const { page } = await windowOf()
        const credentials = { email: 'x@x.test', password: 'wrong horse' }
        const rejected = await app.auth.post('/auth/token?grant_type=password', credentials)
        await menu(page, 'Decisions')
        await page.getByLabel('Request ID').fill(rejected.headers.get('x-request-id') ?? '')
        await button(page, 'Explain').click()
        await page.getByRole('cell', { name: 'invalid_credentials' }).waitFor()
      })

      it('offers a viewer no act', async () => {
        const target = await newUser()
        const { page } = await windowOf(viewerRole)
        await find(page, target)
        expect(await page.locator('main form[method=post]').count()).toBe(0)
        await menu(page, 'Signing keys')
        expect(await page.locator('main form[method=post]').count()).toBe(0)
      })

      it('rejects an operator who was demoted, at the next click', async () => {
        const target = await newUser()
        const { page, user } = await windowOf()
        await find(page, target)
        await app.auth.auth.admin.updateUser(user.id, { role: 'authenticated' })
        await page.getByLabel('Reason').fill('too late')
        await button(page, `Ban ${target.email}`).click()
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect((await app.auth.auth.admin.getUser(target.id)).bannedUntil).toBeNull()
      })
    },
  )
}

describeInBrowser('the console', ({ open }) => {
  it('warns before unsaved changes are lost', async () => {
    const target = await newUser()
    const page = await open({ ignoreHTTPSErrors: true })
    await signIn(page, operatorRole)
    await page.goto(`${app.pages}/console/users/${target.id}`)
    await page.locator('#change-role').pressSequentially('x')
    const requested = page.waitForEvent('dialog')
    void page.goto(`${app.pages}/console`).catch(() => {})
    const dialog = await requested
    expect(dialog.type()).toBe('beforeunload')
    await dialog.accept()
  })

  it('warns before a change of another form is lost by a submission', async () => {
    const target = await newUser()
    const page = await open({ ignoreHTTPSErrors: true })
    await signIn(page, operatorRole)
    await page.goto(`${app.pages}/console/users/${target.id}`)
    await page.locator('#change-role').pressSequentially('x')
    const requested = page.waitForEvent('dialog')
    await page.locator('#ban-reason').pressSequentially('spam')
    void page
      .getByRole('button', { name: `Ban ${target.email}` })
      .click()
      .catch(() => {})
    const dialog = await requested
    expect(dialog.type()).toBe('beforeunload')
    await dialog.accept()
  })

  /** Returns the findings of a check on each page. */
  async function findingsOn(
    page: Page,
    pathAt: (path: string) => string,
    check: (path: string) => Promise<string[]>,
  ): Promise<string[]> {
    const found: string[] = []
    for (const { path } of consoleRoutes) {
      if (files.has(path)) continue
      await page.goto(pathAt(path))
      found.push(...(await check(path)))
    }
    return found
  }

  it('meets WCAG 2.2 A and AA, and fits its windows', { timeout: 300_000 }, async () => {
    const pathAt = await filled()
    const page = await open({ ignoreHTTPSErrors: true, bypassCSP: true })
    await signIn(page, operatorRole)
    const check = (path: string) =>
      violationsIn(page, path, async ({ width, colorScheme }) => {
        if (screenshots) await takeScreenshot(page, `${nameOf(path)}-${width}-${colorScheme}`)
      })
    expect(await findingsOn(page, pathAt, check)).toEqual([])
  })

  it('fits into windows of 320 pixels in every language', { timeout: 300_000 }, async () => {
    const pathAt = await filled()
    const page = await open({ ignoreHTTPSErrors: true })
    await signIn(page, operatorRole)
    for (const language of languages) {
      await page.goto(`${app.pages}/console?lang=${language}`)
      const check = (path: string) => overflowsIn(page, `${language} ${path}`, [320])
      expect(await findingsOn(page, pathAt, check)).toEqual([])
    }
  })

  it('reaches every control of every page by keyboard', { timeout: 300_000 }, async () => {
    const pathAt = await filled()
    const page = await open({ ignoreHTTPSErrors: true })
    await signIn(page, operatorRole)
    const check = async (path: string) => [
      ...(await unreachedIn(page, path)),
      ...(await unsubmittedIn(page, path)),
    ]
    expect(await findingsOn(page, pathAt, check)).toEqual([])
  })

  it('can be used with the keyboard alone', async () => {
    const target = await newUser()
    const page = await open({ ignoreHTTPSErrors: true })
    await signIn(page, operatorRole)
    const tabTo = async (selector: string) => {
      for (let pressed = 0; pressed < 80; pressed++) {
        await page.keyboard.press('Tab')
        const isThere = (one: string) => document.activeElement?.matches(one) ?? false
        if (await page.evaluate(isThere, selector)) return
      }
      throw new Error(`the keyboard does not reach ${selector}`)
    }
    await tabTo('nav a[href$="/console/users"]')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await tabTo('[name=q]')
    await page.keyboard.type(target.id)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\?q=/)
    await tabTo(`a[href$="${target.id}"]`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: target.email ?? '' }).waitFor()
    await tabTo('#ban-reason')
    await page.keyboard.type('spam')
    await page.keyboard.press('Enter')
    await page.getByText('The user was banned').waitFor()
  })

  it('accepts no form of another site', async () => {
    const target = await newUser()
    const page = await open({ ignoreHTTPSErrors: true })
    await signIn(page, operatorRole)
    const to = `${app.pages}/console/users/${target.id}?do=ban`
    await page.goto(`${app.evilUrl}?${new URLSearchParams({ to, reason: 'x' })}`)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.waitForLoadState()
    expect((await app.auth.auth.admin.getUser(target.id)).bannedUntil).toBeNull()
  })
})

/** Pages without an HTML document of their own. */
const files = new Set(['/console/audit.csv', '/console/mails/preview'])

/** Stores values for every page. Returns the URLs of the pages. */
async function filled() {
  const { admin } = app.auth.auth
  const target = await app.auth.given.user(`grace${count++}@needle.test`)
  await admin.updateUser(target.id, { userMetadata: { full_name: 'Grace Hopper', plan: 'pro' } })
  await admin.banUser(target.id, { reason: 'sends spam' })
  const client = await admin.oauth.createClient({
    clientName: 'Acme Shop',
    redirectUris: ['https://shop.example.test/callback'],
  })
  await app.auth.rows(
    `insert into auth.oauth_consents (id, user_id, client_id, scopes, resources, granted_at)
      values (gen_random_uuid(), $1, $2, '["email", "profile"]', '[]', now())`,
    [target.id, client.clientId],
  )
  const identifier = `custom:club-${count}`
  await admin.customProviders.createProvider({
    providerType: 'oauth2',
    identifier,
    name: 'Club',
    clientId: 'club-client',
    clientSecret: 'club-secret',
    authorizationUrl: 'https://93.184.216.34/authorize',
    tokenUrl: 'https://93.184.216.34/token',
    userinfoUrl: 'https://93.184.216.34/me',
  })
  await app.auth.rows(
    `insert into auth.outbox_messages (id, channel, kind, recipient, body, status, attempts, last_error, created_at, settled_at)
      values (gen_random_uuid(), 'events', 'recovery', 'grace@needle.test', 'x', 'failed', 3,
        'the mail server returned 451 5.7.1 to RCPT TO', now(), now())`,
  )
  const credentials = { email: target.email, password: 'wrong horse' }
  const rejected = await app.auth.post('/auth/token?grant_type=password', credentials)
  await app.auth.auth.runDueWork()
  const queries: Record<string, string> = {
    '/console/decisions': `?request=${rejected.headers.get('x-request-id')}`,
    '/console/health': '?check=outside',
    '/console/providers/new': '?type=oidc',
  }
  return (path: string): string =>
    `${app.pages}${path
      .replace('clients/:id', `clients/${client.clientId}`)
      .replace('providers/:id', `providers/${identifier}`)
      .replace(':id', target.id)}${queries[path] ?? ''}`
}

const nameOf = (path: string): string => path.slice(1).replaceAll(/\/:?/g, '-')

async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = screenshots ?? ''
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.screenshot({ path: join(folder, `${name}-full.png`), fullPage: true })
}

declare const document: { activeElement: { matches(selector: string): boolean } | null }

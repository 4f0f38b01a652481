import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import { type Auth, createAuth } from '../src/index.ts'
import { describeInBrowser } from './support/browser.ts'
import { imports, readScript } from './support/client-app.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { runModule, scriptsOf } from './support/documented-scripts.ts'
import { freePort } from './support/server-process.ts'
import {
  connectAuthenticator,
  type VirtualAuthenticatorOptions,
} from './support/virtual-authenticator.ts'

// The code of docs/passkeys.md, and of docs/factors.md for security keys, on a page of an
// application with Latchkey mounted below `/auth`.

const scripts = new Map(
  ['docs/passkeys.md', 'docs/factors.md'].flatMap((page) => [...scriptsOf(page)]),
)

let database: TestDatabase
let auth: Auth
let server: Server
/** Serves the page at another port: another origin of the domain that passkeys are bound to. */
let elsewhere: Server
let site: string

/** Browsers have no passkeys at an IP address. */
const originOf = (one: Server) => `http://localhost:${(one.address() as AddressInfo).port}`

beforeAll(async () => {
  const port = await freePort()
  site = `http://localhost:${port}`
  database = await createTestDatabase()
  auth = createAuth({
    siteUrl: site,
    basePath: '/auth',
    database: database.url,
    jwt: { secret: 'a secret for tests of more than 32 bytes' },
    email: { autoconfirm: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: { webAuthn: { enrollEnabled: true, verifyEnabled: true } },
    logger: false,
  })
  const mounted = toNode(auth)
  server = createServer((request, response) => {
    if (request.url?.startsWith('/auth/')) void mounted(request, response)
    else answerPage(request.url ?? '/', response)
  }).listen(port, '127.0.0.1')
  elsewhere = createServer((request, response) => answerPage(request.url ?? '/', response)).listen(
    0,
    '127.0.0.1',
  )
  await Promise.all([once(server, 'listening'), once(elsewhere, 'listening')])
})
afterAll(async () => {
  for (const one of [server, elsewhere]) {
    one?.closeAllConnections()
    one?.close()
  }
  await auth?.close()
  await database?.drop()
})

function answerPage(path: string, response: ServerResponse): void {
  const script = path === '/' ? null : readScript(path)
  if (script !== null) response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
  else if (path !== '/') response.writeHead(404).end()
  else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}

const page = `<!doctype html>
<title>Application</title>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<input name="email" autocomplete="username webauthn">
`

/** A page that requests less of authenticators than the service requires. */
const askLessOfAuthenticators = `
const get = navigator.credentials.get.bind(navigator.credentials)
navigator.credentials.get = (options) =>
  get({ ...options, publicKey: { ...options.publicKey, userVerification: 'discouraged' } })
`

/** Runs blocks of the documentation in sequence, as one module; `more` is the code of the test. */
function run(
  window: Page,
  blocks: readonly string[],
  names: readonly string[],
  more = '',
): ReturnType<typeof runModule> {
  const code = blocks.map((name) => {
    const script = scripts.get(name)
    if (script === undefined) throw new Error(`the documentation has no block '${name}'`)
    return script
  })
  const module = [...code, more].join('\n').replaceAll('https://app.example.com', site)
  return runModule(window, module, names)
}

describeInBrowser('passkeys by the real client, in Chromium', ({ open }) => {
  /**
   * Opens a window of the application with an authenticator, in which a user is signed in by
   * password.
   */
  async function openSignedIn(options?: VirtualAuthenticatorOptions) {
    const window = await open()
    const authenticator = await connectAuthenticator(window, options)
    await window.goto(site)
    const email = `${crypto.randomUUID()}@example.test`
    const { data } = await run(
      window,
      ['client'],
      ['data'],
      `const { data } = await client.signUp({ email: '${email}', password: 'correct horse' })`,
    )
    return { window, authenticator, email, userId: String(data.user.id) }
  }

  /** Opens the same with a passkey, and signed out. */
  async function openWithPasskey() {
    const opened = await openSignedIn()
    const made = await run(opened.window, ['client', 'register'], ['passkey', 'error'])
    expect(made).toMatchObject({ error: null, passkey: { friendly_name: 'Passkey' } })
    await run(opened.window, ['client'], [], `await client.signOut({ scope: 'local' })`)
    return opened
  }

  it('registers a passkey, signs in with it, and renames and removes it', {
    timeout: 90_000,
  }, async () => {
    const { window, authenticator, userId } = await openWithPasskey()

    const { data, error } = await run(window, ['client', 'sign in'], ['data', 'error'])
    const account = await run(
      window,
      ['client', 'account'],
      ['passkeys', 'renamed', 'notDeleted', 'left'],
      'const { data: left } = await client.passkey.list()',
    )

    expect([error, data.user.id]).toEqual([null, userId])
    expect(account).toMatchObject({
      passkeys: [{ friendly_name: 'Passkey', last_used_at: expect.any(String) }],
      renamed: { friendly_name: 'Phone' },
      notDeleted: null,
      left: [],
    })
    expect(await authenticator.credentials()).toMatchObject([
      { isResidentCredential: true, rpId: 'localhost', userHandle: btoa(userId) },
    ])
  })

  it('signs in by autofill', { timeout: 90_000 }, async () => {
    const { window, userId } = await openWithPasskey()

    const { signedIn } = await run(window, ['client', 'autofill'], ['signedIn'])

    expect(signedIn).toMatchObject({ error: null, data: { user: { id: userId } } })
  })

  it('signs in without the client', { timeout: 90_000 }, async () => {
    const { window, userId } = await openWithPasskey()

    const { session } = await run(window, ['post', 'sign in by hand'], ['session'])

    expect(session).toMatchObject({ user: { id: userId }, access_token: expect.any(String) })
  })

  it('signs up with only a passkey, and signs in with it later', { timeout: 90_000 }, async () => {
    const window = await open()
    const authenticator = await connectAuthenticator(window)
    await window.goto(site)

    const { data, error } = await run(window, ['client', 'post', 'sign up'], ['data', 'error'])
    const again = await run(window, ['client', 'sign in'], ['data', 'error'])

    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email: '', user_metadata: { name: 'Ada' } })
    expect(again).toMatchObject({ error: null, data: { user: { id: data.user.id } } })
    expect(await authenticator.credentials()).toMatchObject([{ userHandle: btoa(data.user.id) }])
  })

  it('is rejected on a page of another origin, where the browser permits it', {
    timeout: 90_000,
  }, async () => {
    const { window } = await openWithPasskey()
    await window.goto(originOf(elsewhere))

    const { error } = await run(window, ['client', 'sign in'], ['error'])

    expect(error).toMatchObject({ code: 'webauthn_verification_failed' })
  })

  it('is rejected where the authenticator does not verify the user, whatever the page requests', {
    timeout: 90_000,
  }, async () => {
    const { window, authenticator } = await openWithPasskey()
    await authenticator.verifyUser(false)

    const byBrowser = await run(window, ['client', 'sign in'], ['error'])
    await window.evaluate(askLessOfAuthenticators)
    const byService = await run(window, ['client', 'sign in'], ['error'])

    expect(byBrowser['error']).toMatchObject({ name: 'NotAllowedError' })
    expect(byService['error']).toMatchObject({ code: 'webauthn_verification_failed' })
  })

  it('is rejected where the signature count is lower than before, as with a copy', {
    timeout: 90_000,
  }, async () => {
    const { window, authenticator } = await openWithPasskey()
    const signIn = () => run(window, ['client', 'sign in'], ['error'])
    await signIn()
    const third = await signIn()
    await authenticator.countBack(1)

    const copied = await signIn()

    expect(third).toMatchObject({ error: null })
    expect(copied).toMatchObject({ error: { code: 'webauthn_verification_failed' } })
  })

  it('is not registered twice with one authenticator', { timeout: 90_000 }, async () => {
    const { window } = await openWithPasskey()
    await run(window, ['client', 'sign in'], ['error'])

    const { error } = await run(window, ['client', 'register'], ['error'])

    expect(error).toMatchObject({ name: 'InvalidStateError' })
  })

  /** Creates a user with a security key who has signed in again by password only. */
  async function openWithKey() {
    const opened = await openSignedIn({ keepsPasskeys: false, transport: 'usb' })
    const enrolled = await run(opened.window, ['client', 'enroll a key'], ['notEnrolled'])
    expect(enrolled).toEqual({ notEnrolled: null })
    await signInAnew(opened.window, opened.email)
    return opened
  }
  const signInAnew = (window: Page, email: string) =>
    run(
      window,
      ['client'],
      [],
      `await client.signOut({ scope: 'local' })
      await client.signInWithPassword({ email: '${email}', password: 'correct horse' })`,
    )
  const askLevel = 'const { data: level } = await client.mfa.getAuthenticatorAssuranceLevel()'
  const showKey = (window: Page) =>
    run(window, ['client', 'show a key'], ['notShown', 'level'], askLevel)

  it('enrolls a security key as second factor, and verifies it at the next sign-in', {
    timeout: 90_000,
  }, async () => {
    const { window, authenticator } = await openWithKey()

    const before = await run(window, ['client'], ['level'], askLevel)
    const shown = await showKey(window)

    expect(before['level']).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
    expect(shown).toMatchObject({
      notShown: null,
      level: {
        currentLevel: 'aal2',
        currentAuthenticationMethods: [{ method: 'mfa/webauthn' }, { method: 'password' }],
      },
    })
    expect(await authenticator.credentials()).toMatchObject([
      { isResidentCredential: false, rpId: 'localhost' },
    ])
  })

  it('is not raised by a security key whose count is lower than before, as with a copy', {
    timeout: 90_000,
  }, async () => {
    const { window, authenticator, email } = await openWithKey()
    await showKey(window)
    await authenticator.countBack(1)
    await signInAnew(window, email)

    const copied = await showKey(window)

    expect(copied).toMatchObject({ notShown: { code: 'mfa_verification_failed' } })
    expect(copied['level']).toMatchObject({ currentLevel: 'aal1' })
  })
})

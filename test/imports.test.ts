import { execFileSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { startServer } from './support/server-process.ts'
import { testPassword, testSecret } from './support/test-auth.ts'

const root = join(import.meta.dirname, '..')
const built = pathToFileURL(join(root, 'dist/index.js')).href

/**
 * Returns the URL of each module that some code loads in a process of its own.
 *
 * @param from the module that exports `createAuth`: by default the sources.
 */
function loadedBy(code: string, from = 'latchkey'): string[] {
  const program = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
    const { createAuth } = await import(${JSON.stringify(from)})
    ${code}
    console.log(JSON.stringify(urls))
  `
  return JSON.parse(run(program))
}

/** Returns the output of a program in a process of its own. */
function run(program: string): string {
  const flags = ['--conditions=latchkey-source', '--input-type=module', '--eval', program]
  return execFileSync(process.execPath, flags, { cwd: root, encoding: 'utf8' })
}

/** Modules that may be loaded: our files and folders, packages, and built-in modules. */
const light = [
  'src/index.ts',
  'src/service/create-auth.ts',
  'src/service/request-handlers.ts',
  'src/service/lazy-runtime.ts',
  'src/platform/config',
  'src/platform/errors',
  // Names of settings and errors.
  'src/platform/factor-kinds',
  'src/credentials/access-tokens',
  'src/platform/kit',
  'src/platform/go-template',
  // Names and subjects are settings; the texts are in the same files.
  'src/platform/mails',
  'src/platform/http',
  'src/limits/watch-peers.ts',
  'src/limits/client-address.ts',
  'src/service/api',
  'src/platform/observability',
  'src/credentials/external',
  'src/accounts/sessions',
  'src/accounts/users',
  'src/platform/capability-terms.ts',
  '.terms.ts',
  'node:',
  // For the range of Node versions.
  'package.json',
  // For rules about addresses in the configuration: one file without dependencies.
  'ipaddr.js',
]

/**
 * Returns `src/platform/kit` for a file of that folder, `h3` for a file of that package, `node:`
 * for a built-in module, `.terms.ts` for the terms of a capability.
 */
function homeOf(url: string): string {
  if (url.startsWith('node:')) return 'node:'
  if (url.endsWith('.terms.ts')) return '.terms.ts'
  const path = relative(root, fileURLToPath(url))
  const [, inside] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
  return inside ?? path.split('/').slice(0, 3).join('/')
}

it("loads our config, errors and tokens on import 'latchkey', and the address parser as the only package", () => {
  const urls = loadedBy('')
  const homes = new Set(urls.map(homeOf))

  expect(homes).toContain('src/service/create-auth.ts')
  expect([...homes].filter((home) => !light.includes(home))).toEqual([])
  // The descriptions of providers, and no provider.
  const ofProviders = urls.flatMap(
    (url) => /src\/credentials\/external\/(.*)/.exec(url)?.slice(1) ?? [],
  )
  expect(ofProviders.toSorted()).toEqual([
    'define-provider.ts',
    'oauth2.ts',
    'oidc.ts',
    'profile.ts',
  ])
  const ofSessions = urls.flatMap(
    (url) => /src\/accounts\/sessions\/(.*)/.exec(url)?.slice(1) ?? [],
  )
  expect(ofSessions.toSorted()).toEqual(['assurance.ts', 'session-errors.ts'])
  const ofUsers = urls.flatMap((url) => /src\/accounts\/users\/(.*)/.exec(url)?.slice(1) ?? [])
  expect(ofUsers).toEqual(['user-errors.ts'])
})

it("does not load Node's fetch classes on import 'latchkey'", () => {
  const output = run(`
    await import(${JSON.stringify(built)})
    const isLoaded = () => process.moduleLoadList.some((name) => name.endsWith('undici/undici'))
    const before = isLoaded()
    console.log(JSON.stringify([before, Boolean(Response), isLoaded()]))
  `)

  expect(JSON.parse(output)).toEqual([false, true, true])
})

it("serves requests by `latchkey serve` without Node's fetch classes and HTTP/2, which take memory", async () => {
  const database = await createTestDatabase()
  const program = `process.on('exit', () =>
    console.error('BUILT-IN ' + process.moduleLoadList.filter((name) => /undici|http2$/.test(name))))`
  const server = await startServer(database.url, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}`,
  })
  const body = { email: 'ada@example.test', password: testPassword }

  const { body: session } = await ask(server.url, 'POST', '/signup', { body })
  const refresh = '/token?grant_type=refresh_token'
  const { refresh_token } = session
  const statuses = [
    await ask(server.url, 'GET', '/user', { token: session.access_token }),
    await ask(server.url, 'POST', refresh, { body: { refresh_token } }),
    await ask(server.url, 'POST', '/token?grant_type=password', { body }),
  ].map(({ status }) => status)
  await server.stop()
  await database.drop()

  expect(statuses).toEqual([200, 200, 200])
  expect(server.output()).toMatch(/^BUILT-IN $/m)
})

it("H28: loads Node's fetch classes when an app that has only a `fetch` is mounted, before a host replaces them", () => {
  const adapter = pathToFileURL(join(root, 'dist/hosts/adapters/node.js')).href
  const output = run(`
    const { toNode } = await import(${JSON.stringify(adapter)})
    const isLoaded = () => process.moduleLoadList.some((name) => name.endsWith('undici/undici'))
    const atImport = isLoaded()
    toNode(() => ({ app: { fetch: async () => {} } }))
    const withFunction = isLoaded()
    toNode({ app: { fetch: async () => {} } })
    process.on('exit', () => console.log(JSON.stringify([atImport, withFunction, isLoaded()])))
  `)

  expect(JSON.parse(output)).toEqual([false, false, true])
})

it("loads the entities and MikroORM's core on import 'latchkey/entities', no driver and no service", () => {
  const urls = loadedBy(`await import('latchkey/entities')`)

  const homes = new Set(urls.filter((url) => !url.endsWith('.entity.ts')).map(homeOf))
  expect([...homes].filter((home) => !light.includes(home)).toSorted()).toEqual([
    '@mikro-orm/core',
    'src/service/persistence',
  ])
  expect(urls.filter((url) => /src\/service\/persistence/.test(url))).toHaveLength(4)
})

it("loads neither the formatter nor a service on import 'latchkey/sql' before the first formatting", () => {
  const load = (code: string) => {
    const before = new Set(loadedBy(''))
    return loadedBy(code)
      .filter((url) => !before.has(url))
      .map(homeOf)
  }
  const imported = `const { formatSql } = await import('latchkey/sql')`

  expect(new Set(load(imported))).toEqual(new Set(['node:', 'src/capabilities/formatter-config']))
  expect(load(`${imported}\nawait formatSql('select 1', { language: 'sql' })`)).toContain(
    'sql-formatter',
  )
})

describe('a service', () => {
  let database: TestDatabase

  afterEach(() => database.drop())

  const served = (url: string) => `
    const auth = createAuth(${JSON.stringify({
      siteUrl: 'https://app.example.test',
      database: url,
      jwt: { secret: testSecret },
      email: { autoconfirm: true },
    })})
    const credentials = { email: 'light@example.test', password: 'correct horse' }
    await auth.api.signUp(credentials)
    const { user, session } = await auth.api.signInWithPassword(credentials)
    await auth.api.refreshSession({ refreshToken: session.refreshToken })
    await auth.admin.updateUser(user.id, { email: 'lighter@example.test', role: 'staff' })
    await auth.close()
  `
  let loadedUrls: string[] | undefined
  /** Returns the URLs that a service with an up-to-date schema loads: one run for all tests. */
  const urlsOfService = (): string[] => (loadedUrls ??= loadedBy(served(database.url)))
  /** Returns whether a module loads the ORM, or belongs to it. */
  const isOrm = (url: string) => /@mikro-orm|kysely|\.entity\.ts$/.test(url)

  it('does not load the ORM where the schema is up to date', async () => {
    database = await createTestDatabase()

    const urls = urlsOfService()

    expect(urls.map(homeOf)).toContain('pg')
    expect(urls.filter(isOrm)).toEqual([])
  })

  it('loads from the built package nothing that only the command line or Redis needs', async () => {
    database = await createTestDatabase()

    const homes = loadedBy(served(database.url), built).map(homeOf)

    expect(homes).toContain('dist/index.js')
    expect(homes).toContain('superstruct')
    const needless = /^(pino|csv-parse|semver|rate-limiter-flexible|ioredis|redis|uqr|bowser)$/
    expect(homes.filter((home) => needless.test(home))).toEqual([])
    expect(homes.filter((home) => home.startsWith('dist/standalone'))).toEqual([])
    // Each module costs time at the start: unmerged they are 150.
    expect(homes.filter((home) => home.startsWith('dist/')).length).toBeLessThan(60)
  })

  it('loads the console only where it is enabled', async () => {
    database = await createTestDatabase()
    const inConsole = (url: string) => /capabilities\/console\//.test(url)
    const loaded = urlsOfService().filter(inConsole)

    const names = loaded.map((url) => url.slice(url.lastIndexOf('/') + 1)).toSorted()
    expect(names).toEqual([
      'capability.ts',
      'console-settings.terms.ts',
      'console.terms.ts',
      'migrations.ts',
    ])
  })

  /** Descriptions of tables, settings and endpoints, and statements about rows that may exist. */
  const describing = [
    /^(capability|migrations|personal-oauth)\.ts$/,
    /\.terms\.ts$/,
    /\.endpoint\.ts$/,
    // Parts of endpoints, and the metadata, which every service has.
    /^clients\/(client-fields|present-client|oauth-client)\.ts$/,
    /^(protocol\/(grant-types|oauth-errors|scopes|issuer)|metadata\/metadata(\.route)?)\.ts$/,
    /^(grants\/ended-grants|logout\/report-ended-sessions)\.sql\.ts$/,
  ]

  it('loads the code of the OAuth server only where it is enabled', async () => {
    database = await createTestDatabase()
    const inOauthServer = (urls: string[]) =>
      urls
        .flatMap((url) => /capabilities\/oauth-server\/(.+)/.exec(url)?.[1] ?? [])
        .filter((file) => !describing.some((pattern) => pattern.test(file)))

    expect(inOauthServer(urlsOfService())).toEqual([])
    const request = `new Request('http://auth.test/oauth/authorize')`
    const enabled = loadedBy(`
      const auth = createAuth(${JSON.stringify({
        siteUrl: 'https://app.example.test',
        database: database.url,
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
        oauthServer: { enabled: true },
      })})
      await auth.fetch(${request})
      await auth.close()
    `)
    expect(inOauthServer(enabled)).toContain('authorize/authorize.ts')
  })

  it('loads the libraries for wallet signatures at the first of them', async () => {
    database = await createTestDatabase()

    expect(urlsOfService().filter((url) => /@noble|@scure/.test(url))).toEqual([])
  })

  const isTelemetry = (url: string) => /@opentelemetry|observability\/opentelemetry/.test(url)

  it('loads no OpenTelemetry while telemetry is off', async () => {
    database = await createTestDatabase()

    expect(urlsOfService().filter(isTelemetry)).toEqual([])
  })

  it('loads the exporter of traces where traces are on, and not the metrics server', async () => {
    database = await createTestDatabase()

    const urls = loadedBy(`
      const auth = createAuth(${JSON.stringify({
        siteUrl: 'https://app.example.test',
        database: database.url,
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
        telemetry: { tracing: { enabled: true } },
      })})
      await auth.ready()
      await auth.close()
    `)

    const homes = urls.filter(isTelemetry).map(homeOf)
    expect(homes).toContain('@opentelemetry/sdk-trace')
    expect(homes).not.toContain('@opentelemetry/exporter-prometheus')
  })

  it('does not start where telemetry is on and its packages are missing', async () => {
    database = await createTestDatabase()
    const program = `
      import { registerHooks } from 'node:module'
      registerHooks({
        resolve: (name, context, next) => {
          if (/^@opentelemetry\\/(sdk-trace|exporter-trace-otlp-proto)$/.test(name)) throw new Error('there is no such package')
          return next(name, context)
        },
      })
      const { createAuth } = await import('latchkey')
      const auth = createAuth(${JSON.stringify({
        siteUrl: 'https://app.example.test',
        database: database.url,
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
        telemetry: { tracing: { enabled: true } },
      })})
      const error = await auth.ready().catch((error) => error)
      console.log(JSON.stringify([error.name, error.message]))
      await auth.close()
    `

    expect(JSON.parse(run(program))).toEqual([
      'TelemetryStartError',
      'Telemetry is enabled and needs packages that are not installed: ' +
        'npm install @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-proto, or disable telemetry',
    ])
  })

  it('loads the passkey library with the first response to a challenge, not with the challenge', async () => {
    database = await createTestDatabase()
    const isWebAuthn = (url: string) => /@simplewebauthn|@peculiar|reflect-metadata/.test(url)
    const withPasskeys = (code: string) => `
      const auth = createAuth(${JSON.stringify({
        siteUrl: 'https://app.example.test',
        database: database.url,
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
        passkeys: { enabled: true },
      })})
      const { session } = await auth.api.signUp({ email: 'key@example.test', password: 'correct horse' })
      const { accessToken } = session
      const { challengeId } = await auth.api.startPasskeyRegistration({ accessToken })
      ${code}
      await auth.close()
    `
    const response = { clientDataJSON: 'AA', attestationObject: 'AA' }
    const credential = { id: 'AA', rawId: 'AA', type: 'public-key', response }
    const answer = `
      const credential = ${JSON.stringify(credential)}
      await auth.api.verifyPasskeyRegistration({ accessToken, challengeId, credential }).catch(() => {})`

    expect(loadedBy(withPasskeys('')).filter(isWebAuthn)).toEqual([])
    await database.drop()
    database = await createTestDatabase()
    expect(loadedBy(withPasskeys(answer)).filter(isWebAuthn)).not.toEqual([])
  })

  it('loads it where a migration step is pending', async () => {
    database = await createEmptyDatabase()

    expect(loadedBy(served(database.url)).map(homeOf)).toContain('@mikro-orm/core')
  })
})

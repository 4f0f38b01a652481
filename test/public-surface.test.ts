import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { auditActions } from '../src/accounts/audit/actions.ts'
import { namesOf } from '../src/platform/config/environment-names.ts'
import { unsupportedSettings } from '../src/platform/config/settings/unsupported.ts'
import { settings } from '../src/platform/config/settings.ts'
import { authErrorCodes } from '../src/platform/errors/auth-error.ts'
import { createTestDatabase } from './support/database.ts'
import { describeSchema } from './support/describe-schema.ts'
import { shapeOf } from './support/shape-of.ts'
import { startTestAuth } from './support/test-auth.ts'

// The public API beside the types (test/declarations.test.ts). A change here changes hosts: it
// belongs into CHANGELOG.md, and published names stay between minor versions. `vitest -u` rewrites
// the snapshots.

const root = join(import.meta.dirname, '..')

const readText = (path: string) => readFile(join(root, path), 'utf8')

async function exportsOfPackage(): Promise<Record<string, string[]>> {
  const manifest: { exports: Record<string, string | { 'latchkey-source': string }> } = JSON.parse(
    await readText('package.json'),
  )
  const names = Object.entries(manifest.exports).map(async ([subpath, target]) => {
    if (typeof target === 'string') return [subpath, [target]] as const
    const loaded: object = await import(join(root, target['latchkey-source']))
    return [subpath, Object.keys(loaded).toSorted()] as const
  })
  return Object.fromEntries(await Promise.all(names))
}

it('exports these names under each subpath', async () => {
  await expect(exportsOfPackage()).resolves.toMatchInlineSnapshot(`
    {
      ".": [
        "AuthError",
        "ClosedError",
        "ConfigError",
        "EmbeddedPostgresMissingError",
        "FolderInUseError",
        "ForeignSchemaError",
        "HashingPackageMissingError",
        "MissingTablesError",
        "PasswordScoreMissingError",
        "RedisPackageMissingError",
        "TelemetryStartError",
        "UnsupportedNodeError",
        "createAuth",
        "defineProvider",
        "oauth2",
        "oidc",
      ],
      "./astro": [
        "sessionMiddleware",
        "toAstro",
      ],
      "./client": [
        "pageClientOptions",
      ],
      "./cookies": [
        "createCookieSessions",
        "requiredStep",
      ],
      "./elysia": [
        "toElysia",
      ],
      "./entities": [
        "latchkeyEntities",
      ],
      "./error-texts": [
        "errorText",
      ],
      "./express": [
        "finishFlow",
        "protectResource",
        "requireUser",
        "toExpress",
      ],
      "./fastify": [
        "toFastify",
      ],
      "./hono": [
        "protectResource",
        "toHono",
      ],
      "./koa": [
        "toKoa",
      ],
      "./next": [
        "createNextSessions",
        "formActions",
        "openSession",
        "readSession",
        "renewSession",
        "requireUser",
        "toNext",
      ],
      "./nitro": [
        "protectResource",
        "toNitro",
      ],
      "./node": [
        "toNode",
      ],
      "./nuxt": [
        "default",
      ],
      "./package.json": [
        "./package.json",
      ],
      "./react": [
        "AuthProvider",
        "SignedIn",
        "SignedOut",
        "requireUser",
        "useAuth",
        "useAuthPages",
        "useSession",
        "useUser",
      ],
      "./react-router": [
        "sessionMiddleware",
        "toReactRouter",
      ],
      "./shared": [
        "createSharedAuth",
      ],
      "./sql": [
        "SqlFormatError",
        "SqlFormatterConfigError",
        "SqlFormatterMissingError",
        "formatSql",
        "loadSqlFormatterConfig",
        "validateSqlFormatterConfig",
      ],
      "./sql-formatter.schema.json": [
        "./dist/sql-formatter.schema.json",
      ],
      "./structs": [
        "inputStruct",
      ],
      "./subscribe-pages": [
        "SubscribePagesError",
        "createSubscribePages",
      ],
      "./svelte": [
        "AuthProvider",
        "SignedIn",
        "SignedOut",
        "provideAuth",
        "requireUser",
        "useAuth",
        "useAuthPages",
        "useSession",
        "useUser",
      ],
      "./sveltekit": [
        "AuthError",
        "handleSession",
        "requireUser",
        "toSvelteKit",
      ],
      "./tanstack-start": [
        "toTanStackStart",
      ],
      "./testing": [
        "createTestAuth",
        "openMailbox",
      ],
      "./transactions": [
        "drizzleTx",
        "knexTx",
        "kyselyTx",
        "postgresTx",
        "prismaTx",
        "typeormTx",
      ],
      "./verify": [
        "VerifierError",
        "createVerifier",
      ],
      "./vue": [
        "AuthProvider",
        "SignedIn",
        "SignedOut",
        "createVueAuth",
        "requireUser",
        "useAuth",
        "useAuthPages",
        "useSession",
        "useUser",
      ],
    }
  `)
})

it('knows these error codes', () => {
  expect(authErrorCodes).toMatchSnapshot()
})

it('records these actions under these numbers', () => {
  const numbers = Object.entries(auditActions).map(([action, { number }]) => [action, number])

  expect(Object.fromEntries(numbers)).toMatchSnapshot()
})

it('reads these names from the environment', () => {
  const known = settings
    .filter(({ env }) => env !== null)
    .map((setting) => `${setting.status}: ${namesOf(setting).join(' ')}`)
  const past = unsupportedSettings.map(({ env }) => `unsupported: ${env}`)

  expect([...known, ...past].toSorted()).toMatchSnapshot()
})

it('takes these settings in code', () => {
  expect(settings.map(({ path }) => path).toSorted()).toMatchSnapshot()
})

it('issues access tokens with these claims', async () => {
  const auth = await startTestAuth()
  const { accessToken } = await auth.given.session()
  const claims = await auth.auth.verifyToken(accessToken)
  await auth.close()

  expect(shapeOf(claims)).toMatchSnapshot()
})

it('has this schema once migrated', async () => {
  const database = await createTestDatabase()

  const schema = await describeSchema(database.url, 'auth')
  await database.drop()

  expect(schema).toMatchSnapshot()
})

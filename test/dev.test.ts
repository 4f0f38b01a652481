import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli } from './support/cli-process.ts'
import { createEmptyDatabase } from './support/database.ts'
import { type DevProcess, startDev } from './support/dev-process.ts'
import { hasEmbeddedDatabase } from './support/embedded.ts'
import { readMailbox } from './support/read-mailbox.ts'
import { runSql } from './support/sql.ts'
import { hasTerminal, onTerminal, processOnTerminal } from './support/terminal.ts'
import { testSecret } from './support/test-auth.ts'

const isInstalled = await hasEmbeddedDatabase('test/dev.test.ts')
const isOnTerminal = hasTerminal()

const credentials = { email: 'dev@example.test', password: 'correct horse' }
/** No setting is required; a free port avoids other services of the machine. */
const anyPort = { PORT: '0' }

let folder: string
let server: DevProcess
let refreshToken: string

const signIn = () => ask(server.url, 'POST', '/token?grant_type=password', { body: credentials })
const modeOf = async (path: string) => (await stat(join(folder, path))).mode & 0o777
const gitignore = () => readFile(join(folder, '.latchkey/.gitignore'), 'utf8')

/** The embedded database starts in two seconds, or in thirty on a busy machine. */
describe.skipIf(!isInstalled)('latchkey dev', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey dev '))
    server = await startDev({ cwd: folder })
  }, 120_000)

  afterAll(async () => {
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('reports slow steps of the first start before it takes them', () => {
    expect(server.output()).toMatch(/^Creating an embedded database in \.latchkey\/.* …\n/)
  })

  it('needs no setting, and signs up and in with the code of its mailbox', async () => {
    const signUp = await ask(server.url, 'POST', '/signup', { body: credentials })
    const tooEarly = await signIn()
    const mailbox = await readMailbox(server.mailboxUrl)
    const { code } = await mailbox.newest(credentials.email)
    const body = { type: 'signup', email: credentials.email, token: code }
    const proof = await ask(server.url, 'POST', '/verify', { body })
    const answer = await signIn()

    expect([signUp.status, tooEarly.body.error_code]).toEqual([200, 'email_not_confirmed'])
    expect([proof.status, answer.status]).toEqual([200, 200])
    refreshToken = answer.body.refresh_token
  })

  it('links to the console, and signs in as a demonstration operator there', async () => {
    const link = /^ {2}(http:\S+_latchkey\/console\?token=\w+)$/m.exec(server.output())?.[1] ?? ''
    const cookies = new Map<string, string>()
    const open = async (url: string) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
      for (const one of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? []
        cookies.set(name, value)
      }
      return response
    }
    const follow = async (from: Response) =>
      open(new URL(from.headers.get('location') ?? '', server.url).href)

    const traded = await open(link)
    const signedIn = await follow(traded)
    const shown = await follow(signedIn)
    expect([traded.status, signedIn.status, shown.status]).toEqual([303, 303, 200])
    expect(await shown.text()).toContain('demonstration-operator@example.com')

    const withoutToken = await fetch(link.replace(/\?.*/, ''))
    const fromTunnel = await fetch(link, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    expect([withoutToken.status, fromTunnel.status]).toEqual([401, 404])
  })

  it('publishes the one key that it created, which signs', async () => {
    const [jwks, { body: session }] = await Promise.all([
      ask(server.url, 'GET', '/.well-known/jwks.json'),
      signIn(),
    ])

    const [header = ''] = session.access_token.split('.')
    const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
    expect(alg).toBe('RS256')
    expect(jwks.body.keys).toEqual([
      expect.objectContaining({ kty: 'RSA', alg, kid, use: 'sig', key_ops: ['verify'] }),
    ])
    for (const secret of ['d', 'p', 'q', 'k']) expect(jwks.body.keys[0]).not.toHaveProperty(secret)
  })

  it('listens on this machine only, and prints no token without a terminal', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.output()).toContain(`curl ${server.url}/signup`)
    expect(server.output()).toContain(`curl ${server.url}/verify`)
    expect(server.mailboxUrl).toContain(`${server.url}/`)
    expect(server.output()).not.toContain('TOKEN')
    expect(server.output()).not.toContain('eyJ')
  })

  it('restricts its data to the owner and excludes it from git', async () => {
    expect(await modeOf('.latchkey')).toBe(0o700)
    expect(await modeOf('.latchkey/root-key')).toBe(0o600)
    expect(await gitignore()).toBe('*\n')
  })

  it('rejects a second process on the same folder', async () => {
    const { code, output } = await runCli(['dev'], { cwd: folder, env: anyPort })

    expect(code).toBe(1)
    expect(output).toMatch(/\.latchkey\/data is already in use.*AUTH_DATABASE_URL/m)
    expect(output).not.toMatch(/^\s+at /m)
    expect((await signIn()).status).toBe(200)
  })

  it('a command for operators beside it prints a remedy; after its end it needs no setting', async () => {
    const beside = await runCli(['admin', 'list'], { cwd: folder })
    const why = await runCli(['why', '0b5f6c1e-6a55-4d0e-9f0c-3a52d3b3a9d1'], { cwd: folder })
    await server.stop()
    const after = await runCli(['admin', 'list', '--json'], { cwd: folder })
    const forbidden = await runCli(['admin', 'list'], {
      cwd: folder,
      env: { NODE_ENV: 'production' },
    })
    server = await startDev({ cwd: folder })

    expect([beside.code, after.code, forbidden.code]).toEqual([1, 0, 1])
    expect(beside.output).toMatch(/already in use.*latchkey dev[\s\S]*\/admin\/users/)
    expect(why.output).toMatch(/already in use.*latchkey dev[\s\S]*\/admin\/decisions/)
    expect(why.output).not.toMatch(/another folder|\/admin\/users/)
    expect(after.output).toContain('Using the settings of latchkey dev in this folder')
    expect(after.output).toContain(`"email": "${credentials.email}"`)
    expect(forbidden.output).toContain('AUTH_DATABASE_URL is required')
  })

  it('a command accepts the settings that only development permits, if it finds a folder of it', async () => {
    const env = {
      AUTH_DATABASE_URL: 'postgres://127.0.0.1:1/none',
      AUTH_JWT_SECRET: testSecret,
      AUTH_SITE_URL: 'http://localhost:3000',
      AUTH_API_EXTERNAL_URL: 'http://localhost:8191',
      AUTH_CONSOLE_ENABLED: 'true',
      AUTH_OAUTH_SERVER_ENABLED: 'true',
    }
    const create = ['clients', 'create', 'Notes', '--redirect-uri', 'http://localhost:1/cb']
    const here = await runCli(create, { cwd: folder, env })
    const elsewhere = await runCli(create, { cwd: tmpdir(), env })

    expect(here.output).toContain('Using the settings of latchkey dev in this folder')
    expect(here.output).not.toContain('AUTH_PAGES_ORIGIN')
    expect(elsewhere.output).toContain('AUTH_PAGES_ORIGIN')
  })

  it('keeps users, sessions and keys over a restart', async () => {
    const keys = await ask(server.url, 'GET', '/.well-known/jwks.json')
    const ending = await server.stop()
    server = await startDev({ cwd: folder })
    expect(server.output()).toMatch(/^Starting the embedded database in \.latchkey\/ …\n/)

    const refreshed = await ask(server.url, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: refreshToken },
    })

    expect(ending.code).toBe(0)
    expect((await signIn()).status).toBe(200)
    expect(refreshed.status).toBe(200)
    expect((await ask(server.url, 'GET', '/.well-known/jwks.json')).body).toEqual(keys.body)
  })

  it('starts after the previous process was killed, and closes a folder that was open', async () => {
    server.signal('SIGKILL')
    await server.ended
    await rm(join(folder, '.latchkey/.gitignore'))
    await chmod(join(folder, '.latchkey'), 0o755)

    server = await startDev({ cwd: folder, env: { AUTH_JWT_SECRET: testSecret } })

    expect((await signIn()).status).toBe(200)
    expect(await modeOf('.latchkey')).toBe(0o700)
    expect(await gitignore()).toBe('*\n')
  })

  it.skipIf(!isOnTerminal)(
    'prints a token on a terminal, which opens the admin endpoints',
    async () => {
      await server.stop()
      server = await startDev({ cwd: folder, wrap: onTerminal })
      const [, token = ''] = /SERVICE_TOKEN=(\S+)/.exec(server.output()) ?? []

      const answer = await ask(server.url, 'POST', '/admin/users', {
        token,
        body: { email: 'operated@example.test', email_confirm: true },
      })
      process.kill(processOnTerminal(server.pid), 'SIGTERM')
      const { code } = await server.ended

      const { iat, exp } = JSON.parse(
        Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
      )
      expect(answer.status).toBe(200)
      expect(exp - iat).toBe(12 * 60 * 60)
      expect(code).toBe(0)
    },
  )
})

it('where latchkey dev never ran, a command for operators prints where it would need no setting', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'latchkey-elsewhere-'))
  const { code, output } = await runCli(['admin', 'list'], { cwd: elsewhere })
  await rm(elsewhere, { recursive: true })

  expect(code).toBe(1)
  expect(output).toMatch(
    /AUTH_DATABASE_URL is required[\s\S]*in a folder where latchkey dev has run/,
  )
})

it('with the database of .env, names it and has no demonstration operator', async () => {
  const database = await createEmptyDatabase()
  const cwd = await mkdtemp(join(tmpdir(), 'latchkey-configured-'))
  await writeFile(join(cwd, '.env'), `AUTH_DATABASE_URL=${database.url}\n`)
  const started = await startDev({ cwd })
  const output = started.output()
  const [, token] = /_latchkey\/mail\?token=(\w+)/.exec(output) ?? []
  const response = await fetch(`${started.url}/_latchkey/console?token=${token}`, {
    redirect: 'manual',
  })
  await started.stop()
  const [row] = await runSql(database.url, 'select count(*)::int as users from auth.users')
  await database.drop()
  await rm(cwd, { recursive: true })

  const { host, pathname } = new URL(database.url)
  const place = `the database "${pathname.slice(1)}" on ${host} (AUTH_DATABASE_URL)`
  expect(output.startsWith(`Using ${place}: `)).toBe(true)
  expect(output).toContain(`Data is kept in ${place}. Stop`)
  expect(output).toContain(`The operator console:\n  ${started.url}/console\n`)
  expect(output).not.toMatch(/demonstration|embedded/)
  expect([response.status, row]).toEqual([404, { users: 0 }])
})

describe('latchkey dev is rejected', () => {
  it.each([
    { env: { NODE_ENV: 'production' }, reason: 'under NODE_ENV=production' },
    {
      env: { AUTH_API_HOST: '0.0.0.0' },
      reason: 'AUTH_API_HOST latchkey dev listens on 127.0.0.1',
    },
    { env: { AUTH_API_HOST: '::' }, reason: 'AUTH_API_HOST latchkey dev listens on 127.0.0.1' },
  ])('with $env', async ({ env, reason }) => {
    const { code, output } = await runCli(['dev'], { cwd: tmpdir(), env: { ...anyPort, ...env } })

    expect(code).toBe(1)
    expect(output).toContain(reason)
    expect(output).not.toMatch(/^\s+at /m)
  })
})

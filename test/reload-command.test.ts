import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli, spawnCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import {
  environmentFor,
  type ServerProcess,
  serverEnvironment,
  startServer,
} from './support/server-process.ts'
import { waitFor } from './support/wait-for.ts'

let database: TestDatabase
let folder: string
let server: ServerProcess

const write = (name: string, text: string) => writeFile(join(folder, name), text)

async function start(env: Record<string, string> = {}): Promise<void> {
  server = await startServer(
    database.url,
    { AUTH_LOG_LEVEL: 'info', AUTH_RELOADING_NOTIFY_ENABLED: 'false', ...env },
    ['serve', '--config-dir', folder],
  )
}

/** Signals the server that settings changed, and waits for its log message. */
async function reload(message: string): Promise<Record<string, unknown>> {
  const before = server.log().length
  server.signal('SIGHUP')
  return waitFor(() => {
    const line = server
      .log()
      .slice(before)
      .find(({ msg }) => msg === message)
    expect(line).toBeDefined()
    return line ?? {}
  })
}

const settings = async () => (await ask(server.url, 'GET', '/settings')).body

const signUp = (email: string) =>
  ask(server.url, 'POST', '/signup', { body: { email, password: 'correct horse' } })

beforeEach(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'latchkey-reload-'))
})
afterEach(async () => {
  await server?.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

describe('settings that change while the server runs', { timeout: 180_000 }, () => {
  it('apply from SIGHUP on, in the same process, and the database stays connected', async () => {
    await write('a.env', 'AUTH_DISABLE_SIGNUP=false\n')
    await start()
    const first = await signUp('first@example.test')

    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    const line = await reload('settings reloaded')

    expect(line).toMatchObject({ level: 'info', settings: ['AUTH_DISABLE_SIGNUP'] })
    expect([first.status, (await signUp('second@example.test')).status]).toEqual([200, 422])
    expect(await settings()).toMatchObject({ disable_signup: true })
    const { body } = await ask(server.url, 'POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: first.body.refresh_token },
    })
    expect(body.user.email).toBe('first@example.test')
  })

  it('are restored once a file no longer contains them', async () => {
    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    await start()
    await rm(join(folder, 'a.env'))
    await reload('settings reloaded')

    expect(await settings()).toMatchObject({ disable_signup: false })
  })

  it('are not applied where one is invalid: the old ones stay, and the log names it', async () => {
    await start()
    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\nAUTH_JWT_EXP=soon\nAUTH_JWT_SECRET=c4n4ry\n')
    const refused = await reload('settings were not reloaded; the former ones remain in effect')
    await rm(join(folder, 'a.env'))
    await write('b.json', '{"AUTH_DISABLE_SIGNUP": ["c4n4ry"]}')
    const noText = await reload('settings were not reloaded; the former ones remain in effect')

    expect(refused).toMatchObject({
      level: 'error',
      problems: [expect.stringMatching(/^AUTH_JWT_EXP /)],
    })
    expect(noText).toMatchObject({ problems: ['b.json: AUTH_DISABLE_SIGNUP must be a string'] })
    expect(await settings()).toMatchObject({ disable_signup: false })
    expect(server.output()).not.toContain('c4n4ry')
  })

  it('are not applied where they require a restart, and the log names them', async () => {
    await start()
    await write(
      'a.json',
      JSON.stringify({ AUTH_DB_SCHEMA: 'nowhere', AUTH_LOG_FILE: '/nowhere', AUTH_JWT_EXP: 60 }),
    )
    await reload('settings reloaded')

    expect(server.log()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'settings that need a restart were not applied',
        settings: ['AUTH_LOG_FILE', 'AUTH_DB_SCHEMA'],
      }),
    )
    expect((await signUp('ada@example.test')).body.expires_in).toBe(60)
  })

  it('apply to the next request, while a running one ends with the previous ones', async () => {
    await start()
    const { body } = await signUp('runs@example.test')
    const blocker = new pg.Client({ connectionString: database.url })
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('select from auth.users where id = $1 for update', [body.user.id])
    const running = ask(server.url, 'PUT', '/user', {
      token: body.access_token,
      body: { data: { finished: true } },
    })
    const blocked = 'select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid))'
    await waitFor(async () => expect((await blocker.query(blocked)).rowCount).not.toBe(0))

    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    await reload('settings reloaded')
    const next = await signUp('next@example.test')
    await blocker.query('commit')
    const answer = await running
    await blocker.end()

    expect(next.status).toBe(422)
    expect([answer.status, answer.body.user_metadata.finished]).toEqual([200, true])
    expect(await server.stop()).toEqual({ code: 0, signal: null })
  })

  it('do not reset the limits of a client', async () => {
    await start({ AUTH_RATE_LIMIT_HEADER: 'x-client', AUTH_RATE_LIMIT_ANONYMOUS_USERS: '2' })
    const anonymous = () =>
      ask(server.url, 'POST', '/signup', { body: {}, headers: { 'x-client': 'a' } })
    await write('a.env', 'AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED=true\n')
    await reload('settings reloaded')
    const before = [(await anonymous()).status, (await anonymous()).status]
    await write('b.env', 'AUTH_JWT_EXP=60\n')
    await reload('settings reloaded')

    expect([...before, (await anonymous()).status]).toEqual([200, 200, 429])
  })

  it('are read when a file changed and is stable, also in a replaced folder', async () => {
    await mkdir(join(folder, 'live'))
    server = await startServer(
      database.url,
      {
        AUTH_LOG_LEVEL: 'info',
        AUTH_RELOADING_POLLER_INTERVAL: '100ms',
        AUTH_RELOADING_GRACE_PERIOD_INTERVAL: '200ms',
      },
      ['serve', `--config-dir=${join(folder, 'live')}`],
    )
    await mkdir(join(folder, 'next'))
    await write('next/a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    await rename(join(folder, 'live'), join(folder, 'before'))
    await rename(join(folder, 'next'), join(folder, 'live'))
    await server.printed(/"msg":"settings reloaded"/)

    expect(await settings()).toMatchObject({ disable_signup: true })
  })
})

describe('a slow reload', { timeout: 180_000 }, () => {
  let blocker: pg.Client

  /** Blocks the next process that reads the schema. */
  async function block(): Promise<void> {
    blocker = new pg.Client({ connectionString: database.url })
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('lock table auth.latchkey_migrations in access exclusive mode')
  }
  async function someoneIsBlocked(): Promise<void> {
    const blocked = 'select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid))'
    // A process that starts meanwhile takes ten seconds on a busy machine.
    const count = async () => (await blocker.query(blocked)).rowCount
    await expect.poll(count, { timeout: 60_000 }).not.toBe(0)
  }

  /** Blocks the next reload after it has read its settings. */
  async function holdReload(): Promise<void> {
    await block()
    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    server.signal('SIGHUP')
    await someoneIsBlocked()
  }
  const release = () => blocker.query('rollback')
  afterEach(() => blocker.end())

  it('is followed by one reload for all signals meanwhile', async () => {
    await start()
    await holdReload()
    await write('b.env', 'AUTH_DISABLE_SIGNUP=false\nAUTH_JWT_EXP=60\n')
    for (let times = 0; times < 20; times++) server.signal('SIGHUP')
    // A response from now on is later than the signals.
    await settings()
    await release()

    // Until the first reload is complete the previous settings apply, which also permit sign-ups.
    const reloads = () => server.log().filter(({ msg }) => msg === 'settings reloaded')
    await waitFor(() => expect(reloads()).toHaveLength(2))
    const { status, body } = await signUp('ada@example.test')
    expect([status, body.expires_in]).toEqual([200, 60])
    await setTimeout(200)
    expect(reloads()).toHaveLength(2)
  })

  it('is deferred while the server is starting', async () => {
    await block()
    const starting = spawnCli(
      ['serve', '--config-dir', folder],
      environmentFor(database.url, { AUTH_LOG_LEVEL: 'info' }),
    )
    await someoneIsBlocked()
    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    starting.signal('SIGHUP')
    await setTimeout(100)
    await release()

    await starting.printed(/"msg":"settings reloaded"/)
    expect(await starting.stop()).toEqual({ code: 0, signal: null })
  })

  it('ends before the server does on a signal to stop', async () => {
    await start()
    await holdReload()
    const stopping = server.stop()
    await setTimeout(200)
    await release()

    expect(await stopping).toEqual({ code: 0, signal: null })
    expect(server.log().filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('the files of settings', () => {
  it('are overridden by the environment, and are rejected at start where one is unreadable', async () => {
    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    await start({ AUTH_DISABLE_SIGNUP: 'false' })
    expect(await settings()).toMatchObject({ disable_signup: false })

    await write('z.json', '{"AUTH_JWT_SECRET": "c4n4ry"')
    const env = { ...serverEnvironment, AUTH_DATABASE_URL: database.url }
    const broken = await runCli(['serve', '-d', folder], { env })
    const missing = await runCli(['serve', '-d', join(folder, 'nowhere')], { env })

    expect([broken.code, missing.code]).toEqual([1, 1])
    expect(broken.output).toContain('z.json must be JSON: an object of names and strings')
    expect(broken.output).not.toContain('c4n4ry')
    expect(missing.output).toContain('--config-dir names a folder that cannot be read')
  })
})

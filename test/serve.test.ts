import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli, spawnCli } from './support/cli-process.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import {
  environmentFor,
  freePort,
  readLog,
  type ServerProcess,
  startQuietServer,
  startServer,
} from './support/server-process.ts'

const password = 'correct horse'

let database: TestDatabase
let server: ServerProcess
let folder: string

const signUp = (url: string, email: string) =>
  ask(url, 'POST', '/signup', { body: { email, password } })

/** Returns whether a server listens at a URL. */
const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const theServer = async () => new URL(database.url).host
const noServer = async () => `127.0.0.1:${await freePort()}`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-serve-'))
  database = await createTestDatabase()
  server = await startServer(database.url, {
    AUTH_LOG_LEVEL: 'info',
    AUTH_REQUEST_ID_HEADER: 'X-Correlation-Id',
  })
})

afterAll(async () => {
  await server?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

describe('on a signal to stop', { timeout: 180_000 }, () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s, completes running requests, accepts no others and ends with 0',
    async (signal) => {
      const stopping = await startServer(database.url)
      const { body: session } = await signUp(stopping.url, `${signal}@example.test`)
      const blocker = await lockUser(session.user.id)
      const running = ask(stopping.url, 'PUT', '/user', {
        token: session.access_token,
        body: { data: { finished: true } },
      })
      await whenBlocking(blocker, running)

      stopping.signal(signal)
      await stopping.printed(/"msg":"stopping/)
      await whenRefused(stopping.url)
      await blocker.query('commit')
      const answer = await running
      const ending = await stopping.ended
      await blocker.end()

      expect(answer.status).toBe(200)
      expect(answer.body.user_metadata).toMatchObject({ finished: true })
      expect(ending).toEqual({ code: 0, signal: null })
    },
  )

  it('twice, ends at once', async () => {
    const stopping = await startServer(database.url)
    const { body: session } = await signUp(stopping.url, 'twice@example.test')
    const blocker = await lockUser(session.user.id)
    const running = ask(stopping.url, 'PUT', '/user', {
      token: session.access_token,
      body: { data: { finished: false } },
    }).catch(() => 'cut off')
    await whenBlocking(blocker, running)

    stopping.signal('SIGTERM')
    await stopping.printed(/"msg":"stopping/)
    stopping.signal('SIGINT')
    const ending = await stopping.ended
    await blocker.end()

    expect(ending).toEqual({ code: 1, signal: null })
    expect(await running).toBe('cut off')
  })

  it('does not wait for clients with an idle connection', async () => {
    const stopping = await startServer(database.url)
    const { hostname, port } = new URL(stopping.url)
    const idle = connect(Number(port), hostname)
    await new Promise((resolve) => idle.once('connect', resolve))

    const ending = await stopping.stop()

    expect(ending).toEqual({ code: 0, signal: null })
    idle.destroy()
  })
})

async function whenRefused(url: string): Promise<void> {
  while (await isListening(url));
}

/** Locks a user's row, until the connection commits or ends. */
async function lockUser(id: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('begin')
  await client.query('select from auth.users where id = $1 for update', [id])
  return client
}

/** Waits until a request is blocked by a lock of this connection. */
async function whenBlocking(blocker: pg.Client, request: Promise<unknown>): Promise<void> {
  let hasEnded = false
  const noteEnd = () => {
    hasEnded = true
  }
  request.then(noteEnd, noteEnd)
  const waiting = 'select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid))'
  while ((await blocker.query(waiting)).rowCount === 0) {
    if (hasEnded) throw new Error('the request ended without waiting')
  }
}

describe('an error at start', () => {
  it('names a port in use, and ends with 1', async () => {
    const { port } = new URL(server.url)

    const { code, output } = await runCli(
      ['serve'],
      environmentFor(database.url, { AUTH_API_PORT: port }),
    )

    expect(code).toBe(1)
    expect(output).toContain(`cannot listen on 127.0.0.1:${port}`)
    // H33: with the remedy.
    expect(output).toContain('set AUTH_API_PORT to another port')
    expect(output).not.toMatch(/^\s+at /m)
  })

  it('names all invalid settings at once, and ends with 1', async () => {
    const { code, output } = await runCli(['serve'], {
      env: { AUTH_JWT_EXP: 'soon', AUTH_API_PORT: '99999', AUTH_LOG_LEVEL: 'loud' },
    })

    expect(code).toBe(1)
    const named = [...output.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)
    expect(named).toEqual(
      expect.arrayContaining([
        'AUTH_SITE_URL',
        'AUTH_API_EXTERNAL_URL',
        'AUTH_DATABASE_URL',
        'AUTH_JWT_SECRET',
        'AUTH_JWT_EXP',
        'AUTH_API_PORT',
        'AUTH_LOG_LEVEL',
      ]),
    )
    expect(output).not.toMatch(/^\s+at /m)
  })

  it.each([
    {
      what: 'that nobody serves',
      name: 'db',
      server: noServer,
      reason: 'No server accepts connections',
    },
    { what: 'that is not there', name: 'nowhere', server: theServer, reason: 'does not exist' },
  ])('describes a database $what in a sentence', async ({ name, server: address, reason }) => {
    const url = new URL(database.url)
    url.host = await address()
    url.pathname = name

    const { code, output } = await runCli(['serve'], environmentFor(url.href))

    expect(code).toBe(1)
    expect(output).toContain('The database cannot be reached: ')
    expect(output).toContain(reason)
    expect(output).not.toContain(url.password)
    expect(output).not.toMatch(/^\s+at /m)
  })

  it('names a setting in .env, unless the environment overrides it', async () => {
    const cwd = join(folder, 'with-env-file')
    await mkdir(cwd)
    await writeFile(join(cwd, '.env'), 'AUTH_JWT_EXP=soon\nAUTH_SITE_URL=nowhere\n')

    const { env = {} } = environmentFor(database.url, { AUTH_SITE_URL: 'https://app.example.test' })
    const { code, output } = await runCli(['migrate'], { cwd, env })

    expect(code).toBe(1)
    expect(output).toContain('AUTH_JWT_EXP')
    expect(output).not.toContain('AUTH_SITE_URL')
  })

  it('names an unknown command, with the place of the list of commands', async () => {
    const { code, output } = await runCli(['sevre'])

    expect(code).toBe(2)
    expect(output).toContain('unknown command: sevre')
    expect(output).toContain('Usage: latchkey')
  })
})

describe('the log', { timeout: 180_000 }, () => {
  it('goes to LOG_FILE as one line of JSON per request', async () => {
    const file = join(folder, 'below', 'server.log')
    const logging = await startQuietServer(database.url, { AUTH_LOG_FILE: file })
    const email = 'logged@example.test'

    const answers = [
      await signUp(logging.url, email),
      await ask(logging.url, 'POST', '/token?grant_type=password', {
        body: { email, password: 'wrong horse' },
      }),
      await ask(logging.url, 'GET', '/admin/users/planted-canary'),
      await ask(logging.url, 'GET', '/planted-canary?and=planted-canary'),
    ]
    await logging.stop()

    const text = await readFile(file, 'utf8')
    const requests = readLog(text).filter(({ msg }) => msg === 'request completed')
    expect(requests).toEqual([
      entry({ level: 'info', method: 'POST', route: '/signup', status: 200 }),
      entry({ level: 'warn', method: 'POST', route: '/token', status: 400 }),
      entry({ level: 'warn', method: 'GET', route: '/admin/users/:user_id', status: 401 }),
      entry({ level: 'warn', method: 'GET', route: '/**', status: 404 }),
    ])
    expect(requests.map(({ requestId }) => requestId)).toEqual(
      answers.map(({ headers }) => headers.get('x-request-id')),
    )
    for (const secret of [email, password, 'wrong horse', 'planted-canary']) {
      expect(text).not.toContain(secret)
    }
    expect(logging.output()).toBe('')
  })

  const entry = (fields: object) =>
    expect.objectContaining({
      ...fields,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      durationMs: expect.any(Number),
      requestId: expect.any(String),
    })

  it.each([
    { level: 'panic', seen: [] },
    { level: 'fatal', seen: [] },
    { level: 'error', seen: [] },
    { level: 'warn', seen: ['warn'] },
    { level: 'info', seen: ['info', 'warn'] },
    { level: 'debug', seen: ['info', 'warn'] },
  ])('with level $level contains its part', async ({ level, seen }) => {
    const file = join(folder, `${level}.log`)
    const logging = await startQuietServer(database.url, {
      AUTH_LOG_LEVEL: level,
      AUTH_LOG_FILE: file,
    })

    await ask(logging.url, 'GET', '/settings')
    await ask(logging.url, 'GET', '/nowhere')
    const ending = await logging.stop()

    const requests = readLog(await readFile(file, 'utf8')).filter(
      ({ msg }) => msg === 'request completed',
    )
    expect(requests.map((line) => line.level)).toEqual(seen)
    expect(ending.code).toBe(0)
  })

  it('warns of settings by their names in the environment, once each', async () => {
    const warned = await startServer(database.url, {
      AUTH_RATE_LIMIT_SSO: '2',
      AUTH_EXTERNAL_PHONE_ENABLED: 'true',
      AUTH_API_MAX_CONNECTIONS: '50',
    })
    await warned.stop()

    const warnings = warned.log().filter(({ level }) => level === 'warn')
    expect(warnings).toEqual([
      expect.objectContaining({ msg: expect.stringMatching(/^AUTH_RATE_LIMIT_SSO has no/) }),
      expect.objectContaining({ msg: expect.stringMatching(/^AUTH_PASSWORD_HASH_MEMORY_KIB is/) }),
      expect.objectContaining({ msg: expect.stringMatching(/^AUTH_SMS_PROVIDER is missing/) }),
      expect.objectContaining({ msg: expect.stringMatching(/^AUTH_RATE_LIMIT_HEADER is not set/) }),
    ])
  })

  it('reads the id of a request from REQUEST_ID_HEADER, and the response contains it', async () => {
    const inherited = await ask(server.url, 'GET', '/settings', {
      headers: { 'x-correlation-id': 'trace-7f' },
    })
    const unfit = await ask(server.url, 'GET', '/settings', {
      headers: { 'x-correlation-id': 'no spaces, no "quotes"' },
    })
    const fresh = await ask(server.url, 'GET', '/settings')

    expect(inherited.headers.get('x-request-id')).toBe('trace-7f')
    await server.printed(/"requestId":"trace-7f"/)
    for (const { headers } of [unfit, fresh]) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })
})

it('without a command, migrates an empty database and serves', async () => {
  const empty = await createEmptyDatabase()
  const fresh = await startServer(empty.url, {}, [])

  const answer = await signUp(fresh.url, 'first@example.test')

  expect(answer.status).toBe(200)
  expect(fresh.log()).toContainEqual(expect.objectContaining({ msg: 'database migrated' }))
  await fresh.stop()
  await empty.drop()
})

it('waits until another instance has migrated, for longer than an application does', async () => {
  const empty = await createEmptyDatabase()
  const other = new pg.Client({ connectionString: empty.url })
  await other.connect()
  await other.query('begin')
  await other.query(`select pg_advisory_xact_lock(hashtextextended('latchkey:migrations:auth', 0))`)
  const waiting = spawnCli(['serve'], environmentFor(empty.url))

  await waiting.printed(/Another instance migrates the database.+"msg":"the database is not ready/)
  await other.end()
  const [, url = ''] = await waiting.printed(/"url":"([^"]+)","msg":"listening"/)

  expect((await ask(url, 'GET', '/health')).status).toBe(200)
  expect((await waiting.stop()).code).toBe(0)
  await empty.drop()
})

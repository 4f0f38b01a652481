import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { eventually, isRunning, openClient, workersOf } from './support/worker-processes.ts'

let database: TestDatabase
let folder: string
let server: ServerProcess

const write = (name: string, text: string) => writeFile(join(folder, name), text)

beforeEach(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'latchkey-workers-'))
})
afterEach(async () => {
  await server?.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const start = async (env: Record<string, string> = {}): Promise<void> => {
  server = await startServer(
    database.url,
    { AUTH_LOG_LEVEL: 'info', AUTH_RELOADING_NOTIFY_ENABLED: 'false', ...env },
    ['serve', '--workers', '2', '--config-dir', folder],
  )
}

/** Returns whether sign-ups are disabled, by requests on several new connections. */
const areDisabled = async (): Promise<boolean[]> => {
  const requested = Array.from({ length: 8 }, async () => {
    const client = openClient(server.url)
    const { body } = await client.get('/settings')
    client.close()
    return JSON.parse(body).disable_signup as boolean
  })
  return [...new Set(await Promise.all(requested))]
}

it('SIGHUP replaces the workers one after another, without a failed request', async () => {
  await start()
  const former = workersOf(server)
  let isOver = false
  const failed: unknown[] = []
  const load = [0, 1, 2, 3, 4, 5].map(async (number) => {
    let client = openClient(server.url)
    while (!isOver) {
      const received = await client.get('/settings').catch((error) => error)
      if (received.status !== 200) failed.push(received)
      // Half of the clients open a connection for each request.
      if (number % 2 === 0) continue
      client.close()
      client = openClient(server.url)
    }
    client.close()
  })

  await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
  server.signal('SIGHUP')
  await server.printed(/"msg":"settings reloaded"/)
  const disabled = await areDisabled()
  isOver = true
  await Promise.all(load)

  expect(failed).toEqual([])
  expect(disabled).toEqual([true])
  expect(workersOf(server)).toHaveLength(2)
  expect(workersOf(server).filter((pid) => former.includes(pid))).toEqual([])
  expect(server.log()).toContainEqual(
    expect.objectContaining({ msg: 'settings reloaded', settings: ['AUTH_DISABLE_SIGNUP'] }),
  )
})

it('replaces the workers where no setting has changed, and the log states it', async () => {
  await start()
  const former = workersOf(server)
  server.signal('SIGHUP')
  await server.printed(/"msg":"settings have not changed; workers were replaced"/)

  expect(former.filter((pid) => workersOf(server).includes(pid))).toEqual([])
  expect(server.output()).not.toContain('settings reloaded')
})

it('settings of a file apply to a replaced worker only after SIGHUP', async () => {
  await start()
  await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
  process.kill(workersOf(server)[0] ?? 0, 'SIGKILL')
  await server.printed(/"msg":"worker ended"/)
  await eventually(async () => {
    const { body } = await ask(server.url, 'GET', '/ready')
    expect(body.workers.ready).toBe(2)
  })

  expect(await areDisabled()).toEqual([false])
})

it('rejects settings that are invalid, and keeps those of the first process', async () => {
  await start()
  const former = workersOf(server)
  await write('a.env', 'AUTH_DISABLE_SIGNUP=true\nAUTH_JWT_EXP=soon\n')
  server.signal('SIGHUP')
  await server.printed(/settings were not reloaded; the former ones remain in effect/)
  await write(
    'a.env',
    'AUTH_LOG_FILE=/nowhere\nAUTH_RELOADING_POLLER_INTERVAL=1s\nAUTH_JWT_EXP=60\n',
  )
  server.signal('SIGHUP')
  await server.printed(/"msg":"settings reloaded"/)

  expect(former.filter((pid) => workersOf(server).includes(pid))).toEqual([])
  expect(workersOf(server)).toHaveLength(2)
  expect(server.log()).toContainEqual(
    expect.objectContaining({
      msg: 'settings that need a restart were not applied',
      settings: ['AUTH_RELOADING_POLLER_INTERVAL', 'AUTH_LOG_FILE'],
    }),
  )
  expect(await areDisabled()).toEqual([false])
})

it('keeps the former settings if no worker can serve with the new ones', async () => {
  await start()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('create schema others; create table others.one ()')
  await client.end()
  const former = workersOf(server)
  await write('a.env', 'AUTH_DB_SCHEMA=others\nAUTH_DISABLE_SIGNUP=true\n')
  server.signal('SIGHUP')
  await server.printed(/settings were not reloaded; the former ones remain in effect/)

  await eventually(() => expect(workersOf(server).toSorted()).toEqual(former.toSorted()))
  expect(await areDisabled()).toEqual([false])
})

describe('a reload', { timeout: 180_000 }, () => {
  /** Requests a reload, and returns the first worker of it as soon as its process exists. */
  const beginReload = async (former: readonly number[]): Promise<number> => {
    await write('a.env', 'AUTH_DISABLE_SIGNUP=true\n')
    server.signal('SIGHUP')
    return eventually(() => {
      const started = workersOf(server).find((pid) => !former.includes(pid))
      if (started === undefined) throw new Error('no worker was started')
      return started
    })
  }

  /** Returns the process of a worker, by its number. */
  const workerOf = (number: number): number =>
    Number(
      server.log().find(({ msg, worker }) => msg === 'worker ready' && worker === number)?.['pid'],
    )

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'holds everywhere, also if a worker receives %s while another one takes its place',
    async (signal) => {
      await start()
      await beginReload(workersOf(server))
      process.kill(workerOf(1), signal)
      await server.printed(/"msg":"settings reloaded"/)

      await eventually(() => expect(workersOf(server)).toHaveLength(2))
      // Longer than the pause before a dead worker is replaced.
      await sleep(1_500)
      expect(workersOf(server)).toHaveLength(2)
      expect(await areDisabled()).toEqual([true])
    },
  )

  it('that fails does not keep the service from ending', async () => {
    await start()
    const former = workersOf(server)
    const first = await beginReload(former)
    process.kill(first, 'SIGKILL')
    await eventually(() => {
      if (!workersOf(server).some((pid) => pid !== first && !former.includes(pid)))
        throw new Error('no second attempt')
    })
    const workers = workersOf(server)

    expect(await server.stop()).toEqual({ code: 0, signal: null })
    expect(workers.filter(isRunning)).toEqual([])
    expect(server.log().at(-1)).toMatchObject({ msg: 'stopped' })
  })
})

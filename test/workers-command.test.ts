import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { runCli, spawnCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import {
  environmentFor,
  freePort,
  type ServerProcess,
  startServer,
} from './support/server-process.ts'
import {
  eventually,
  isRunning,
  openClient,
  type Received,
  whenReady,
  workersOf,
} from './support/worker-processes.ts'

let database: TestDatabase
let server: ServerProcess

const start = async (env: Record<string, string> = {}, option = '2'): Promise<ServerProcess> => {
  server = await startServer(database.url, { AUTH_LOG_LEVEL: 'info', ...env }, [
    'serve',
    '--workers',
    option,
  ])
  return server
}

const kill = (pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL') =>
  process.kill(pid ?? 0, signal)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())
afterEach(() => server?.stop())

describe('serve --workers', () => {
  it('starts child processes that share one port, and reports them', async () => {
    const { url, pid, log } = await start()
    const ready = await ask(url, 'GET', '/ready')
    const signedUp = await ask(url, 'POST', '/signup', {
      body: { email: 'ada@example.test', password: 'correct horse' },
    })

    expect(workersOf({ pid })).toHaveLength(2)
    expect(ready.body.workers).toEqual({ count: 2, ready: 2 })
    expect(signedUp.status).toBe(200)
    expect(log()).toContainEqual(expect.objectContaining({ msg: 'listening', workers: 2, url }))
  })

  it('is set by AUTH_WORKERS too, which it overrides', async () => {
    server = await startServer(database.url, { AUTH_WORKERS: '3' })
    expect(workersOf(server)).toHaveLength(3)
    await server.stop()
    await start({ AUTH_WORKERS: '3' }, '2')
    expect(workersOf(server)).toHaveLength(2)
  })

  it.each(['0', 'many', '-1', '1000', '1.5'])('rejects %s', async (option) => {
    const { code, output } = await runCli(
      ['serve', `--workers=${option}`],
      environmentFor(database.url),
    )
    expect(code).toBe(2)
    expect(output).toContain('--workers must be a whole number from 1 to 128, or auto')
  })

  it('ends with the reason once when no worker can start', async () => {
    const url = new URL(database.url)
    url.port = String(await freePort())
    const { code, output } = await runCli(['serve', '--workers', '2'], environmentFor(url.href))

    expect(code).toBe(1)
    expect(output.match(/The database cannot be reached/g)).toHaveLength(1)
    expect(output).not.toMatch(/^\s+at /m)
  })

  it('ends when each worker dies before it is ready', async () => {
    const { code, output } = await runCli(['serve', '--workers', '2'], {
      env: {
        ...environmentFor(database.url).env,
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(
          "if(process.env.LATCHKEY_WORKER)process.kill(process.pid,'SIGKILL')",
        )}`,
      },
    })
    expect(code).toBe(1)
    expect(output).toContain('no worker became ready')
  })
})

describe('a worker that does not respond while it starts', { timeout: 180_000 }, () => {
  it('is replaced', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-start-'))
    const marker = JSON.stringify(join(folder, 'marker'))
    // The first worker waits without end before it runs the command.
    const hang = `import{existsSync,writeFileSync}from'node:fs'
      if(process.env.LATCHKEY_WORKER&&!existsSync(${marker})){
        writeFileSync(${marker},'');await new Promise(()=>setInterval(()=>{},1e3))}`
    const { url } = await start({
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hang)}`,
    })
    await whenReady(url, 2)
    await rm(folder, { recursive: true })
    const messages = server.log().map(({ msg }) => msg)

    expect(messages).toContain('worker does not respond')
    expect(messages).toContain('worker did not start')
  })
})

describe('a worker that dies', { timeout: 180_000 }, () => {
  it('is replaced, four times in a row, while the other one serves', async () => {
    const { url } = await start()
    for (let times = 0; times < 4; times += 1) {
      const [dead] = workersOf(server)
      kill(dead)
      const statuses = []
      for (let count = 0; count < 20; count += 1) {
        const client = openClient(url)
        statuses.push((await client.get('/health')).status)
        client.close()
      }
      await eventually(() => expect(isRunning(dead ?? 0)).toBe(false))
      await whenReady(url, 2)

      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(workersOf(server)).toHaveLength(2)
    }
    expect(server.log().filter(({ msg }) => msg === 'worker ended')).toHaveLength(4)
  })

  it('loses only its own requests under a load of new connections', async () => {
    const { url } = await start()
    let isOver = false
    const failed: unknown[] = []
    const load = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        const client = openClient(url)
        const received = await Promise.race([
          client.get('/health').catch((error) => error),
          sleep(60_000, 'no response', { ref: false }),
        ])
        client.close()
        if (received?.status !== 200) failed.push(received)
      }
    })
    for (let times = 0; times < 3; times += 1) {
      await sleep(300)
      kill(workersOf(server)[0])
      await sleep(200)
      await whenReady(url, 2)
    }
    isOver = true
    await Promise.all(load)

    // A worker has half of the clients. None waits for a response without end.
    expect(failed.length).toBeLessThanOrEqual(3 * 12)
    expect(failed).not.toContain('no response')
  })

  it('is replaced if all die at once', async () => {
    const { url } = await start()
    const dead = workersOf(server)
    for (const pid of dead) kill(pid)
    await eventually(() => expect(dead.filter(isRunning)).toEqual([]))
    await whenReady(url, 2)

    expect(workersOf(server)).toHaveLength(2)
  })

  it('is replaced after SIGTERM too, after its running requests', async () => {
    const { url } = await start()
    const [first] = workersOf(server)
    kill(first, 'SIGTERM')
    await eventually(() => expect(isRunning(first ?? 0)).toBe(false))
    await whenReady(url, 2)
    expect(workersOf(server)).toHaveLength(2)
  })
})

describe('a worker without file descriptors', { timeout: 180_000 }, () => {
  const startWith100Files = async (env: Record<string, string>) => {
    const wrap = (command: string[]) => ['bash', '-c', 'ulimit -n 100; exec "$@"', '-', ...command]
    server = await startServer(
      database.url,
      { AUTH_LOG_LEVEL: 'info', AUTH_DB_MAX_POOL_SIZE: '4', ...env },
      ['serve', '--workers', '2'],
      { wrap },
    )
    return server
  }
  const statuses = () =>
    Promise.all(
      Array.from({ length: 10 }, async () => (await ask(server.url, 'GET', '/health')).status),
    )

  it('serves again after its clients have left', async () => {
    const { url } = await startWith100Files({ AUTH_API_MAX_CONNECTIONS: '0' })
    const clients: Socket[] = []
    // The first process has few descriptors, too: of many connections at once it rejects most.
    while (!server.output().includes('"msg":"connections did not reach a worker')) {
      clients.push(...openConnections(url, 10))
      await sleep(20)
    }
    for (const client of clients) client.destroy()

    expect(await eventually(statuses)).toEqual(Array.from({ length: 10 }, () => 200))
    await whenReady(url, 2)
    expect(workersOf(server)).toHaveLength(2)
  })

  it('is replaced once the first process has descriptors for it', async () => {
    const { url, pid } = await startWith100Files({ AUTH_API_MAX_CONNECTIONS: '0' })
    const workers = workersOf(server)
    // They receive no connection, so that the first process keeps those that it accepts.
    for (const worker of workers) kill(worker, 'SIGSTOP')
    const clients = openConnections(url, 300)
    await eventually(() =>
      expect(readdirSync(`/proc/${pid}/fd`).length).toBeGreaterThanOrEqual(100),
    )
    kill(workers[0])
    await server.printed(/"reason":"not created: spawn .* EMFILE"/)
    for (const client of clients) client.destroy()
    await whenReady(url, 2)

    expect(workersOf(server)).toHaveLength(2)
  })

  it('serves with fewer connections than the setting, which causes a warning', async () => {
    const { url } = await startWith100Files({})
    await server.printed(/"msg":"at most 54 connections are accepted, and not the 1000/)
    const clients = openConnections(url, 400)

    expect(await eventually(statuses)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(clients.some((client) => client.readyState === 'open')).toBe(true)
    for (const client of clients) client.destroy()
  })
})

describe('the output of a worker', () => {
  const onSignal = `if(process.env.LATCHKEY_WORKER)process.once('SIGUSR2',()=>{throw Error('thrown by a test')})`

  it('contains the error that ended it', async () => {
    await start({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(onSignal)}` })
    kill(workersOf(server)[0], 'SIGUSR2')
    await server.printed(/^Error: thrown by a test$/m)
    await server.printed(/"msg":"worker ended"/)
  })

  it.each(['/dev/stdout', '/dev/stderr'])('is written to %s as a log file', async (file) => {
    const { url } = await start({ AUTH_LOG_FILE: file })
    await ask(url, 'GET', '/user')
    await server.printed(/"worker":[12],.*"route":"\/user"/)
    await server.stop()
    expect(server.log()).toContainEqual(expect.objectContaining({ msg: 'stopped' }))
  })
})

describe('a worker that does not respond', { timeout: 180_000 }, () => {
  it('loses its background tasks, and is replaced', async () => {
    const { url } = await start()
    const [stopped] = workersOf(server)
    kill(stopped, 'SIGSTOP')
    await server.printed(/"msg":"worker does not respond"/)
    await eventually(() => expect(isRunning(stopped ?? 0)).toBe(false))
    await whenReady(url, 2)

    expect(workersOf(server)).toHaveLength(2)
    expect(server.log()).toContainEqual(
      expect.objectContaining({ msg: 'worker does not respond', pid: stopped }),
    )
  })
})

describe('the end', () => {
  it('by SIGTERM is orderly before all workers are ready', async () => {
    const early = spawnCli(
      ['serve', '--workers', '4'],
      environmentFor(database.url, { AUTH_LOG_LEVEL: 'info' }),
    )
    await early.printed(/"msg":"worker ready"/)
    const workers = workersOf(early)

    expect(await early.stop()).toEqual({ code: 0, signal: null })
    expect(workers.filter(isRunning)).toEqual([])
    expect(early.output()).toContain('"msg":"stopped"')
  })

  it('by SIGTERM is that of all processes, with code 0', async () => {
    const { url } = await start()
    const workers = workersOf(server)
    const client = openClient(url)
    await client.get('/health')
    const ending = await server.stop()

    expect(ending).toEqual({ code: 0, signal: null })
    expect(workers.filter(isRunning)).toEqual([])
    client.close()
  })

  it.each(['1', '2'])(
    'by SIGTERM resets no request on a kept connection, with %s workers',
    async (option) => {
      const { url } = await start({}, option)
      const email = `stop-${option}@example.test`
      const { body } = await ask(url, 'POST', '/signup', {
        body: { email, password: 'correct horse' },
      })
      const { results, last } = await stopUnderLoad(server, body.access_token)
      const failed = results.filter((one) => one instanceof Error)

      // After `Connection: close` a client opens another connection, which is refused.
      expect(failed.map(({ code }) => code)).toEqual(failed.map(() => 'ECONNREFUSED'))
      expect(failed).toHaveLength(24)
      expect(results.filter((one) => !(one instanceof Error) && one.status !== 200)).toEqual([])
      expect(new Set(last.map((one) => one?.connection))).toEqual(new Set(['close']))
    },
  )

  it.each(['1', '2'])(
    'by SIGTERM waits a few seconds for incomplete bodies, with %s workers',
    async (option) => {
      const { url } = await start({ AUTH_API_MAX_REQUEST_DURATION: '120s' }, option)
      const held = await beginSignUp(url, `held-${option}@example.test`)
      const slow = await beginSignUp(url, `slow-${option}@example.test`)
      const ending = server.stop()
      await server.printed(/"msg":"stopping/)
      slow.sendBody()

      expect(await slow.response).toContain('HTTP/1.1 200 OK')
      expect(await held.response).toContain('HTTP/1.1 503 Service Unavailable')
      expect(await ending).toEqual({ code: 0, signal: null })
    },
  )

  it('by SIGTERM is that of a worker that does not respond, too', async () => {
    await start()
    const workers = workersOf(server)
    kill(workers[0], 'SIGSTOP')

    expect(await server.stop()).toEqual({ code: 0, signal: null })
    expect(workers.filter(isRunning)).toEqual([])
    expect(server.log()).toContainEqual(
      expect.objectContaining({ msg: 'worker does not respond', pid: workers[0] }),
    )
  })

  it('by kill -9 of the first process is that of its workers, which release the port', async () => {
    const { url } = await start()
    const workers = workersOf(server)
    server.signal('SIGKILL')
    await eventually(() => expect(workers.filter(isRunning)).toEqual([]))

    await expect(whenConnected(url)).rejects.toThrow('ECONNREFUSED')
  })
})

/** Sends the headers of a sign-up, and waits until a worker has received them. */
async function beginSignUp(url: string, email: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1')
  const body = JSON.stringify({ email, password: 'correct horse' })
  let received = ''
  const isContinued = new Promise<void>((resolve) =>
    socket.on('data', (chunk: string) => {
      received += chunk
      if (received.includes('100 Continue')) resolve()
    }),
  )
  const response = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
  socket.on('error', () => {})
  socket.write(
    `POST /signup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  await isContinued
  return { response, sendBody: () => void socket.write(body) }
}

/** Opens connections that send no request. */
const openConnections = (url: string, count: number): Socket[] =>
  Array.from({ length: count }, () =>
    connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {}),
  )

const whenConnected = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => resolve(socket.destroy() && undefined))
    socket.once('error', reject)
  })

type Result = (Error & { code?: string }) | Received

/**
 * Sends requests on 24 kept connections until each fails, and stops the server meanwhile. Every
 * second client sends requests that need the database.
 *
 * @returns all results, and the last response of each client.
 */
async function stopUnderLoad(stopped: ServerProcess, token: string) {
  const results: Result[] = []
  const last: (Received | null)[] = []
  const load = Array.from({ length: 24 }, async (_, index) => {
    const client = openClient(stopped.url)
    const [path, headers] =
      index % 2 === 0 ? ['/health', {}] : ['/user', { authorization: `Bearer ${token}` }]
    for (;;) {
      const result: Result = await client.get(path, headers).catch((error) => error)
      results.push(result)
      if (result instanceof Error) break
      last[index] = result
    }
    client.close()
  })
  await sleep(500)
  expect(await stopped.stop()).toEqual({ code: 0, signal: null })
  await Promise.all(load)
  return { results, last }
}

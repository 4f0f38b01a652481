import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase } from './support/database.ts'
import { environmentFor, freePort, readLog } from './support/server-process.ts'
import { eventually, isRunning, whenReady, workersOf } from './support/worker-processes.ts'

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))

let running: ChildProcess | undefined
afterEach(async () => {
  if (running && running.exitCode === null) {
    running.kill('SIGKILL')
    await once(running, 'close')
  }
})

/** Starts a process whose standard error is a pipe without a reader. */
function spawnUnread(args: string[], env: Record<string, string>): ChildProcess {
  const { PATH = '' } = process.env
  running = spawn(process.execPath, args, {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return running
}

async function whenAnswering(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await sleep(25)
  }
}

const line = 'x'.repeat(200)

/** A server that writes a number of lines to its log per request, and returns its memory use. */
const chatter = `
  import { createServer } from 'node:http'
  import { createLogger } from ${JSON.stringify(pathOf('../src/standalone/server/logger.ts'))}
  const logger = createLogger({ level: 'info', file: process.env.LOG_FILE || null })
  createServer((request, response) => {
    const lines = Number(request.url.slice(1))
    for (let index = 0; index < lines; index += 1) logger.info({ index }, '${line}')
    response.end(String(process.memoryUsage.rss()))
  }).listen(process.env.PORT, '127.0.0.1')
`

/** @returns by how many MiB the process grew while it wrote a million lines. */
async function chat(file = ''): Promise<number> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  spawnUnread(['--input-type=module', '--eval', chatter], { PORT: String(port), LOG_FILE: file })
  await whenAnswering(`${url}/0`)
  const memoryAfter = async (lines: number) => Number(await (await fetch(`${url}/${lines}`)).text())
  const before = await memoryAfter(2_000)
  let after = before
  for (let time = 0; time < 100; time += 1) after = Math.max(after, await memoryAfter(10_000))
  return (after - before) / 1024 / 1024
}

/** The million lines are 280 MiB of text. */
const maxGrownMib = 150

describe('an unread log', { timeout: 120_000 }, () => {
  it('delays no request, and needs no memory, after a million lines', async () => {
    const grownMib = await chat()
    expect(grownMib).toBeLessThan(maxGrownMib)

    let printed = ''
    running?.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
    while (!printed.includes('were dropped')) await sleep(20)
    const lines = readLog(printed)
    const notice = lines.find(({ msg }) => String(msg).includes('were dropped'))
    const written = lines.filter(({ msg }) => msg === line).length

    // A late reader learns the number of missing lines.
    expect(notice).toMatchObject({ level: 'warn', dropped: 1_002_000 - written })
    expect(written).toBeGreaterThan(100)
  })

  it.skipIf(!existsSync('/dev/full'))('does not grow on a full disk either', async () => {
    expect(await chat('/dev/full')).toBeLessThan(maxGrownMib)
  })

  it('does not stop `latchkey serve`', async () => {
    const database = await createTestDatabase()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { env = {} } = environmentFor(database.url, { AUTH_API_PORT: String(port) })
    spawnUnread([pathOf('../dist/standalone/cli.js'), 'serve'], env)
    await whenAnswering(`${url}/health`)

    // More than any system buffers for a reader.
    for (let round = 0; round < 60; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => ask(url, 'GET', `/${'x'.repeat(50)}`)),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    }
    running?.kill('SIGTERM')
    const [code] = await once(running as ChildProcess, 'exit')
    await database.drop()

    expect(code).toBe(0)
  })

  it('does not stop workers, also while they are replaced and while they end', async () => {
    const database = await createTestDatabase()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { env = {} } = environmentFor(database.url, { AUTH_API_PORT: String(port) })
    const { pid = 0 } = spawnUnread(
      [pathOf('../dist/standalone/cli.js'), 'serve', '--workers', '2'],
      { ...env, AUTH_LOG_LEVEL: 'info' },
    )
    await whenAnswering(`${url}/health`)
    await whenReady(url, 2)
    const askMany = async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => ask(url, 'GET', `/${'x'.repeat(50)}`)),
      )
      return new Set(answers.map(({ status }) => status))
    }
    for (let round = 0; round < 60; round += 1) expect(await askMany()).toEqual(new Set([404]))
    const former = workersOf({ pid })
    running?.kill('SIGHUP')
    await eventually(() => expect(former.filter(isRunning)).toEqual([]))
    await whenReady(url, 2)

    expect(await askMany()).toEqual(new Set([404]))
    // Later, Node discards the output.
    const printed = new Promise<string>((resolve) =>
      running?.once('exit', () => resolve(text(running?.stderr as Readable))),
    )
    running?.kill('SIGTERM')
    const [code] = await once(running as ChildProcess, 'exit')
    const lines = readLog(await printed)
    await database.drop()

    expect(code).toBe(0)
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'worker ready', worker: 2 }))
  })
})

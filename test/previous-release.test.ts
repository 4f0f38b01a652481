import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createEmptyDatabase, type TestDatabase } from './support/database.ts'
import { loadEnvironment } from './support/fault-load.ts'
import { startRetryingLoad } from './support/retrying-load.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { testPassword } from './support/test-auth.ts'

// The build of the previous release serves beside this one, with the schema of this one. `PREVIOUS`
// names another commit.

const root = new URL('../', import.meta.url).pathname
const run = (program: string, args: string[], cwd = root) =>
  spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
const git = (...args: string[]) => run('git', args).stdout?.trim() ?? ''

const previous =
  process.env['PREVIOUS'] ?? git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^')
if (!previous) {
  console.warn(
    'NOT RUN: the previous release beside this one, since no release has a tag (PREVIOUS)',
  )
}

describe.skipIf(!previous)(`the build of ${previous}`, () => {
  let folder: string
  let database: TestDatabase
  /** A database that this release creates. */
  let created: TestDatabase | undefined
  const servers: ServerProcess[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-previous-'))
    buildPrevious(folder)
    database = await createEmptyDatabase()
  }, 600_000)
  afterAll(async () => {
    const endings = await Promise.all(servers.map((server) => server.stop()))
    for (const one of [database, created]) await one?.drop()
    if (folder) rmSync(folder, { recursive: true, force: true })
    expect(endings.map(({ code }) => code)).toEqual(servers.map(() => 0))
  })

  const start = async (build: 'previous' | 'this', { url } = database) => {
    const cli = build === 'previous' ? join(folder, 'dist/standalone/cli.js') : undefined
    const server = await startServer(url, loadEnvironment, ['serve'], cli ? { cli } : {})
    servers.push(server)
    return server
  }

  it('serves while this release migrates the database and serves beside it', async () => {
    const older = await start('previous')
    const load = await startRetryingLoad(older.url)
    const newer = await start('this')
    const other = await startRetryingLoad(newer.url)
    await sleep(2_000)
    const results = [await load.end(), await other.end()]

    expect(results.flatMap(({ problems }) => problems)).toEqual([])
    expect(results.map(({ emails }) => emails.length > 2)).toEqual([true, true])
  })

  it('starts with the newer schema, and both accept the sessions of each other', async () => {
    created = await createEmptyDatabase()
    const newer = await start('this', created)
    const older = await start('previous', created)
    for (const [one, other] of [
      [older, newer],
      [newer, older],
    ] as const) {
      const body = { email: `${crypto.randomUUID()}@example.test`, password: testPassword }
      const signedUp = await ask(one.url, 'POST', '/signup', { body })
      let tokens = signedUp.body
      for (const server of [other, one, other]) {
        const { status, text } = await ask(server.url, 'GET', '/user', {
          token: tokens.access_token,
        })
        expect([status, text]).toEqual([200, expect.stringContaining(body.email)])
        const refreshed = await ask(server.url, 'POST', '/token?grant_type=refresh_token', {
          body: { refresh_token: tokens.refresh_token },
        })
        expect([refreshed.status, refreshed.text]).toEqual([200, expect.any(String)])
        tokens = refreshed.body
      }
      const signIn = await ask(other.url, 'POST', '/token?grant_type=password', { body })
      expect(signIn.status).toBe(200)
    }
    const ready = await Promise.all([older, newer].map(({ url }) => ask(url, 'GET', '/ready')))
    expect(ready.map(({ status }) => status)).toEqual([200, 200])
  })
})

/** Builds the previous release in a folder, with our packages where they are the same. */
function buildPrevious(target: string): void {
  const archive = join(target, 'previous.tar')
  const steps: [string, string[], string?][] = [
    ['git', ['archive', '--output', archive, previous]],
    ['tar', ['-xf', archive, '-C', target]],
  ]
  for (const [program, args] of steps) requireSuccess(program, args)
  const lockOf = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8')
  if (lockOf(target) === lockOf(root)) {
    symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'))
  } else requireSuccess('npm', ['ci', '--ignore-scripts'], target)
  requireSuccess(process.execPath, ['node_modules/tsup/dist/cli-default.js'], target)
}

function requireSuccess(program: string, args: string[], cwd?: string): void {
  const { status, error, stdout, stderr } = run(program, args, cwd)
  if (status !== 0) throw error ?? new Error(`${program} ${args}: ${stdout}${stderr}`)
}

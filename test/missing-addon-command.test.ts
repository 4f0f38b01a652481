import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor } from './support/server-process.ts'

// An installation without the native addons that hash: `npm install --omit=optional`.

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

/** Hides the addons of a package from a process. */
const without = (pattern: string) => {
  const program = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (!/^@node-rs\\/${pattern}-/.test(name)) return next(name, context)
      const message = "Cannot find module '" + name + "'"
      throw Object.assign(new Error(message), { code: 'MODULE_NOT_FOUND' })
    } })`
  return `--import data:text/javascript,${encodeURIComponent(program)}`
}
const withoutAddons = without('(argon2|bcrypt)')
const latchkey = (command: string, NODE_OPTIONS = withoutAddons) =>
  runCli(command.split(' '), environmentFor(database.url, { NODE_OPTIONS }))

const { '@node-rs/argon2': argon2, '@node-rs/bcrypt': bcrypt } = manifest.dependencies
const remedy = (name: string, version: string) =>
  new RegExp(
    `npm install --omit=optional .*@node-rs/${name}-[\\w-]+@${version.replaceAll('.', '\\.')}`,
  )

describe('N04: without the native addons', () => {
  it.each(['serve', 'admin create-user ada@example.test'])(
    'latchkey %s names the packages and the commands that install them, without a stack',
    async (command) => {
      const { code, output } = await latchkey(command)

      expect(code).toBe(1)
      expect(output).toContain('The native part of @node-rs/argon2 and @node-rs/bcrypt')
      expect(output).toContain('npm install --include=optional')
      expect(output).toMatch(remedy('argon2', argon2))
      expect(output).toMatch(remedy('bcrypt', bcrypt))
      expect(output).not.toMatch(/^\s+at /m)
    },
  )

  it('latchkey doctor reports a problem with the commands', async () => {
    const { code, output } = await latchkey('doctor')

    expect(code).toBe(1)
    expect(output).toMatch(/^problem: hashing: The native part of @node-rs\/argon2 and /m)
    expect(output).toMatch(remedy('argon2', argon2))
    expect(output).not.toMatch(/^\s+at /m)
  })

  it.each(['version', 'admin list', 'migrate status'])(
    'latchkey %s, which hashes nothing, succeeds',
    async (command) => {
      const { code, output } = await latchkey(command)

      expect(code, output).toBe(0)
    },
  )

  it('ready() rejects with an error that names the packages', async () => {
    const built = pathToFileURL(join(import.meta.dirname, '../dist/index.js')).href
    const { code, output } = await runProgram(`
      import { createAuth, HashingPackageMissingError } from '${built}'
      const auth = createAuth({ siteUrl: 'https://app.example.test', database: '${database.url}',
        jwt: { secret: 'x'.repeat(40) }, email: { autoconfirm: true } })
      await auth.ready().catch((error) =>
        console.log(error instanceof HashingPackageMissingError, error.status, error.message))
      await auth.close()`)

    expect(code, output).toBe(0)
    expect(output).toMatch(/^true 503 The native part of @node-rs\/argon2 and @node-rs\/bcrypt/m)
  })
})

it('names the package of bcrypt alone if that of argon2 is installed', async () => {
  const { output } = await latchkey('doctor', without('bcrypt'))

  expect(output).toMatch(/^problem: hashing: The native part of @node-rs\/bcrypt cannot/m)
  expect(output).not.toMatch(/@node-rs\/argon2-/)
})

it('the documentation names the versions that this package requires', () => {
  const text = readFileSync(join(import.meta.dirname, '../docs/operations.md'), 'utf8')

  expect(text).toContain(`@node-rs/argon2-linux-x64-gnu@${argon2}`)
  expect(text).toContain(`@node-rs/bcrypt-linux-x64-gnu@${bcrypt}`)
})

/** Runs a program through the preloading of `latchkey version`. */
async function runProgram(text: string) {
  const program = `data:text/javascript,${encodeURIComponent(`${text}\nprocess.exit()`)}`
  return runCli(['version'], { env: { NODE_OPTIONS: `${withoutAddons} --import ${program}` } })
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { regionsOf } from '../scripts/regions.ts'

const root = join(import.meta.dirname, '..')

/**
 * Declarations that a block may assume, by the names in the comment before it:
 * `<!-- given: auth, user -->`. Readers do not see that comment.
 */
const givens: Readonly<Record<string, string>> = {
  accessToken: 'declare const accessToken: string',
  app: `declare const app: import('express').Express`,
  auth: `declare const auth: import('latchkey').Auth`,
  AuthError: `import { AuthError } from 'latchkey'`,
  carrier: `declare const carrier: {
    messages: { create(text: { to: string; text: string; idempotencyKey: string }): Promise<{ messageId: string }> }
  }`,
  challengeId: 'declare const challengeId: string',
  client: `declare const client: import('pg').Client`,
  code: 'declare const code: string',
  createAuth: `import { createAuth } from 'latchkey'`,
  credential: 'declare const credential: object',
  Customer: 'declare class Customer { id: string; plan: string }',
  email: 'declare const email: string',
  askBrowser: 'declare function askBrowser(ceremony: object): Promise<object>',
  id: 'declare const id: string',
  Note: `declare class Note { id: number; owner: import('latchkey/entities').LatchkeyUser; text: string }`,
  oldUsers: `declare function oldUsers(): AsyncIterable<import('latchkey').UserToImport>`,
  orm: `declare const orm: import('@mikro-orm/postgresql').MikroORM`,
  page: `declare const page: { session: import('latchkey/client').PageSession | null }`,
  password: 'declare const password: string',
  request: 'declare const request: Request',
  sendWhereverYouLike:
    'declare function sendWhereverYouLike(to: string, text: string): Promise<void>',
  sessionContext: `declare const sessionContext: import('latchkey/react-router').SessionContext`,
  sessions: `declare const sessions: import('latchkey/cookies').CookieSessions`,
  toExpress: `import { toExpress } from 'latchkey/express'`,
  User: `declare const User: import('latchkey/entities').LatchkeyEntities['User']`,
  user: `declare const user: import('latchkey').User`,
  waitUntil: 'declare function waitUntil(work: Promise<unknown>): void',
}

interface Block {
  /** The place where the code begins: `docs/users.md:123`. */
  at: string
  given: readonly string[]
  /**
   * The file that the block copies, `<!-- from: examples/… -->`, or a region of it after `#`. Other tests
   * compile or run it.
   */
  from: string | undefined
  code: string
}

const fence =
  /^(?:<!-- (?:given: (?<given>[\w, ]+)|from: (?<from>\S+)) -->\n)?```(?:tsx?|vue)\n(?<code>[\s\S]*?)^```$/gm

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(fence)].map(({ index, groups }) => ({
    at: `${page}:${text.slice(0, text.indexOf('```', index)).split('\n').length + 1}`,
    given: groups?.['given']?.split(', ') ?? [],
    from: groups?.['from'],
    code: groups?.['code'] ?? '',
  }))
}

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

/** Its blocks are regions of test/api-examples.test.ts, which are compiled and run there. */
const executedPage = 'docs/api.md'

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...pagesIn('docs')].filter(
  (page) => page !== executedPage,
)
const documented = pages.flatMap(blocksOf)
const blocks = documented.filter(({ from }) => from === undefined)

/** Returns the file that a block is compiled in. */
const fileOf = ({ at }: Block): string => `${at.replaceAll(/\W/g, '-')}.ts`

/** The messages of the compiler by file; for other files by their own names. */
const said = new Map<string, string[]>()
let folder: string

// Inside the package, so that files can import it by its name, and outside of the usual
// compilation.
beforeAll(() => {
  folder = mkdtempSync(join(root, 'test/.documented-'))
  const config = {
    extends: '../../tsconfig.json',
    include: ['*.ts', '../support/express-modules.d.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  for (const block of blocks) {
    const given = block.given.map((name) => givens[name] ?? `'${name}' is not known`)
    writeFileSync(join(folder, fileOf(block)), [...given, block.code, 'export {}', ''].join('\n'))
  }
  // The README's examples share the instance of the first one.
  writeFileSync(join(folder, 'auth.ts'), `export { auth }\n${givens['auth']}\n`)

  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  })
  for (const [, file = '', problem = ''] of stdout.matchAll(/^(\S+)\(\d+,\d+\): error (.*)$/gm)) {
    said.set(file, [...(said.get(file) ?? []), problem])
  }
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the code of the documentation', () => {
  const quoted = documented.flatMap(({ from, ...block }) => (from ? [{ ...block, from }] : []))

  it.each(quoted)('$at is the example $from', ({ from, code }) => {
    const [file = '', region] = from.split('#')
    const source = region
      ? `${regionsOf(file).get(region)}\n`
      : readFileSync(join(root, file), 'utf8')

    expect(code).toBe(source)
  })
})

describe('the code of the documentation compiles', () => {
  it.each(blocks.map((block) => ({ ...block, file: fileOf(block) })))('$at', ({ file, given }) => {
    expect(given.filter((name) => !(name in givens))).toEqual([])
    expect(said.get(file) ?? []).toEqual([])
  })

  it('as do the declarations that it assumes', () => {
    const files = new Set(blocks.map(fileOf))

    expect(files.size).toBeGreaterThan(10)
    expect([...said.keys()].filter((file) => !files.has(file))).toEqual([])
  })
})

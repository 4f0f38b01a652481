import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givens } from '../scripts/givens.ts'
import { regionsOf } from '../scripts/regions.ts'

const root = join(import.meta.dirname, '..')

interface Block {
  /** The place where the code begins: `docs/users.md:123`. */
  at: string
  given: readonly string[]
  /**
   * The file that the block copies, `<!-- from: examples/… -->`, or a region of it after `#`. Other
   * tests compile or run it.
   */
  from: string | undefined
  code: string
}

const fence =
  /^(?:<!-- (?:given: (?<given>[\w, ]+)|from: (?<from>\S+)) -->\n(?:(?:Given|File): [^\n]*\n\n)?)?```(?:tsx?|vue)\n(?<code>[\s\S]*?)^```$/gm

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
const problemsByPage = new Map<string, string[]>()
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
    const given = block.given.map((name) => givens[name]?.declaration ?? `'${name}' is not known`)
    writeFileSync(join(folder, fileOf(block)), [...given, block.code, 'export {}', ''].join('\n'))
  }
  // The README's examples share the instance of the first one.
  writeFileSync(join(folder, 'auth.ts'), `export { auth }\n${givens['auth']?.declaration}\n`)

  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  })
  for (const [, file = '', problem = ''] of stdout.matchAll(/^(\S+)\(\d+,\d+\): error (.*)$/gm)) {
    problemsByPage.set(file, [...(problemsByPage.get(file) ?? []), problem])
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
    expect(problemsByPage.get(file) ?? []).toEqual([])
  })

  it('as do the declarations that it assumes', () => {
    const files = new Set(blocks.map(fileOf))

    expect(files.size).toBeGreaterThan(10)
    expect([...problemsByPage.keys()].filter((file) => !files.has(file))).toEqual([])
  })
})

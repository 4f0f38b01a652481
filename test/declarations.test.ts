import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiReport, namespaceOf } from '../scripts/api-report.mjs'
import { behindDeclaration, exportedDeclarations } from '../scripts/declarations.mjs'

const root = join(import.meta.dirname, '..')
const manifest = join(root, 'package.json')

let app: string
let declarations: string
let report: string

const tsc = (...flags: string[]): string => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return execFileSync(process.execPath, [compiler, ...flags], { encoding: 'utf8' })
}

// Below node_modules, where an application finds the types of Node. The package beside it consists
// of types only.
beforeAll(() => {
  app = mkdtempSync(join(root, 'node_modules/.latchkey-types-'))
  const installed = join(app, 'node_modules/latchkey')
  declarations = join(installed, 'dist/types')
  tsc('-p', join(root, 'tsconfig.build.json'), '--outDir', declarations)
  copyFileSync(manifest, join(installed, 'package.json'))
  cpSync(join(root, 'test/types'), join(app, 'uses'), { recursive: true })
  writeFileSync(join(app, 'package.json'), '{"type":"module"}')
  report = apiReport(declarations)
}, 60_000)
afterAll(() => rmSync(app, { recursive: true, force: true }))

/** The application, in parts. */
const uses = () => readdirSync(join(root, 'test/types'))

/** Reads a list of names: `type A, B as C` exports A and C, and imports A and B. */
const namesIn = (list: string, side: 'exported' | 'imported'): string[] =>
  list
    .split(',')
    .map((name) =>
      name.trim().replace(side === 'exported' ? /^type |^\w+ as / : /^type | as \w+$/g, ''),
    )
    .filter((name) => name !== '')

/** Components have the types of their framework and of the client. */
const frontEndPackages: Record<string, string[]> = {
  './react': ['@supabase/auth-js', 'react'],
  './svelte': ['@supabase/auth-js', 'svelte'],
  './vue': ['@supabase/auth-js', 'vue'],
}

describe('the published types', () => {
  it.each(exportedDeclarations())(
    'of $subpath are ours only, with all that they refer to, and need none of Node’s',
    ({ subpath, types }) => {
      expect([...behindDeclaration(join(declarations, types)).packages].sort()).toEqual(
        frontEndPackages[subpath] ?? [],
      )
    },
  )

  // The public API, as in test/public-surface.test.ts: a change here belongs into CHANGELOG.md.
  it('are these, with all that they refer to', async () => {
    await expect(report).toMatchFileSnapshot('__snapshots__/public-types.api.md')
  })

  it('are all used by the application of this test', () => {
    const subpaths = exportedDeclarations().map(({ subpath }) => namespaceOf(subpath))
    const namespaces = [
      ...report.matchAll(/^declare namespace (\w+) \{\n {4}export \{([^}]*)\}/gm),
    ].filter(([, name = '']) => subpaths.includes(name))

    expect(namespaces.map(([, name]) => name).sort()).toEqual(subpaths.sort())
    const exported = namespaces.flatMap(([, , names = '']) => namesIn(names, 'exported'))
    const imported = uses()
      .map((name) => readFileSync(join(root, 'test/types', name), 'utf8'))
      .flatMap((text) => [...text.matchAll(/^import (?:type )?\{([^}]*)\} from 'latchkey/gm)])
      .flatMap(([, names = '']) => namesIn(names, 'imported'))
    expect(exported.filter((name) => !imported.includes(name))).toEqual([])
  })

  it('fit an application that uses all of them, at a low cost of compilation', () => {
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--noEmit']
    const target = [
      '--ignoreConfig',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
    ]

    const report = tsc(
      ...uses().map((name) => join(app, 'uses', name)),
      ...strict,
      ...target,
      '--extendedDiagnostics',
    )

    expect(report).not.toContain('error TS')
    expect(Number(/Instantiations:\s+(\d+)/.exec(report)?.[1])).toBeLessThan(20_000)
  }, 60_000)

  it('give handlers of Express the session and access that a guard stores', () => {
    const handlers = join(app, 'handlers.ts')
    copyFileSync(join(root, 'test/support/express-handlers.txt'), handlers)
    const flags = ['--ignoreConfig', '--strict', '--skipLibCheck', '--noEmit', '--types', 'node']

    expect(tsc(handlers, ...flags, '--module', 'nodenext', '--target', 'es2022')).toBe('')
  }, 60_000)
})

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const manifest = join(root, 'package.json')

let app: string
let declarations: string

const tsc = (...flags: string[]): string => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return execFileSync(process.execPath, [compiler, ...flags], { encoding: 'utf8' })
}

// Below node_modules, where an application finds types of Node; and beside it the package, as types alone.
beforeAll(() => {
  app = mkdtempSync(join(root, 'node_modules/.latchkey-types-'))
  const installed = join(app, 'node_modules/latchkey')
  declarations = join(installed, 'dist/types')
  tsc('-p', join(root, 'tsconfig.build.json'), '--outDir', declarations)
  copyFileSync(manifest, join(installed, 'package.json'))
  copyFileSync(join(root, 'test/types/app.ts'), join(app, 'app.ts'))
  writeFileSync(join(app, 'package.json'), '{"type":"module"}')
}, 60_000)
afterAll(() => rmSync(app, { recursive: true, force: true }))

/** The packages that a declaration file refers to, itself or through others of ours. */
function packagesBehind(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, it = '']) => it,
  )
  return specifiers.flatMap((specifier) => {
    if (!specifier.startsWith('.')) return [specifier]
    return packagesBehind(join(dirname(file), specifier.replace(/\.ts$/, '.d.ts')), seen)
  })
}

const exported = Object.entries<string | { types: string }>(
  JSON.parse(readFileSync(manifest, 'utf8')).exports,
).flatMap(([subpath, target]) => (typeof target === 'string' ? [] : [[subpath, target.types]]))

describe('the published types', () => {
  it.each(exported)(
    'of %s are our own, all the way down, and need none of Node’s',
    (_, types = '') => {
      const file = join(declarations, types.replace('./dist/types/', ''))

      expect(packagesBehind(file)).toEqual([])
    },
  )

  it('fit an application that uses all of them, and cost it little', () => {
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

    const report = tsc(join(app, 'app.ts'), ...strict, ...target, '--extendedDiagnostics')

    expect(report).not.toContain('error TS')
    expect(Number(/Instantiations:\s+(\d+)/.exec(report)?.[1])).toBeLessThan(20_000)
  }, 60_000)
})

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { behindDeclaration, exportedDeclarations } from '../scripts/declarations.mjs'

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

describe('the published types', () => {
  it.each(exportedDeclarations())(
    'of $subpath are our own, all the way down, and need none of Node’s',
    ({ types }) => {
      expect([...behindDeclaration(join(declarations, types)).packages]).toEqual([])
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

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isBuilt } from '../scripts/build.mjs'
import { isInstalled } from '../scripts/install.mjs'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-freshness-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), JSON.stringify(content))
}

describe('an installation', () => {
  const lock = (packages: Record<string, object>) =>
    write('package-lock.json', { packages: { '': { version: '1.0.0' }, ...packages } })
  const installed = (packages: Record<string, object>) =>
    write('node_modules/.package-lock.json', { packages })

  it('is needed on a fresh clone', () => {
    lock({ 'node_modules/a': { version: '1.0.0' } })

    expect(isInstalled(folder)).toBe(false)
  })

  it('is needed when a package is missing or has another version', () => {
    lock({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } })

    installed({ 'node_modules/a': { version: '1.0.0' } })
    expect(isInstalled(folder)).toBe(false)
    installed({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } })
    expect(isInstalled(folder)).toBe(false)
    installed({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } })
    expect(isInstalled(folder)).toBe(true)
  })

  it('is not needed for the binaries of other platforms', () => {
    lock({
      'node_modules/a': { version: '1.0.0' },
      'node_modules/a-win32': { version: '1.0.0', optional: true },
      'node_modules/b-win32': { version: '1.0.0', devOptional: true },
    })
    installed({ 'node_modules/a': { version: '1.0.0' } })

    expect(isInstalled(folder)).toBe(true)
  })
})

describe('a build', () => {
  /** Sets the time of a file's last change, in seconds. */
  const touch = (path: string, at: number) => utimesSync(join(folder, path), at, at)

  beforeEach(() => {
    for (const path of ['src/platform/kit/clock.ts', 'migrations/1.ts', 'dist/standalone/cli.js']) {
      write(path, '')
      touch(path, 1000)
    }
    for (const path of ['src/platform/kit', 'src/platform', 'src', 'migrations']) touch(path, 1000)
    touch('dist/standalone/cli.js', 2000)
  })

  it('is not needed while it is newer than every source', () => {
    expect(isBuilt(folder)).toBe(true)
  })

  it.each(['src/platform/kit/clock.ts', 'migrations/1.ts'])(
    'is needed when %s has changed',
    (path) => {
      touch(path, 3000)

      expect(isBuilt(folder)).toBe(false)
    },
  )

  it('is needed when a source was deleted', () => {
    rmSync(join(folder, 'src/platform/kit/clock.ts'))

    expect(isBuilt(folder)).toBe(false)
  })

  it('is needed when there is none', () => {
    rmSync(join(folder, 'dist'), { recursive: true })

    expect(isBuilt(folder)).toBe(false)
  })
})

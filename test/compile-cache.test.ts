import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'latchkey-home-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const compiled = () => join(home, '.cache/latchkey/compiled')
const stored = () =>
  existsSync(compiled())
    ? readdirSync(compiled(), { recursive: true, withFileTypes: true }).filter((one) =>
        one.isFile(),
      )
    : []

/** Runs a command, and returns the modules whose stored code Node used. */
async function run(env: Record<string, string> = {}): Promise<string[]> {
  const { code, output } = await runCli(['version'], {
    env: { HOME: home, NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...env },
  })
  expect(code).toBe(0)
  return [...output.matchAll(/ESM file:\/\/(\S+\.js) was accepted/g)].map(([, path = '']) => path)
}

describe('compiled code of the command', () => {
  it('is stored, and used by the next start', async () => {
    expect(await run()).toEqual([])
    expect(stored().length).toBeGreaterThan(0)

    expect(await run()).toContainEqual(expect.stringContaining('/run-command-'))
  })

  it.each([
    ['the folder', '.cache/latchkey/compiled'],
    ['its parent', '.cache/latchkey'],
    ['the folder of all caches', '.cache'],
  ])('is neither stored nor used where others can write to %s (S115)', async (_, folder) => {
    await run()
    const before = stored().length
    chmodSync(join(home, folder), 0o777)

    expect(await run()).toEqual([])
    expect(stored()).toHaveLength(before)
  })

  it('is neither stored nor used where others can replace the home folder, or none is named (S115)', async () => {
    const parent = join(home, 'home')
    const inOther = join(parent, 'ada')
    mkdirSync(inOther, { recursive: true })
    chmodSync(parent, 0o777)
    await run({ HOME: inOther })
    await run({ HOME: '' })

    expect(readdirSync(inOther)).toEqual([])
    expect(existsSync('.cache/latchkey')).toBe(false)
  })

  it('is not stored where another folder is named, or none may be', async () => {
    await run({ NODE_DISABLE_COMPILE_CACHE: '1' })
    expect(stored()).toEqual([])

    const other = join(home, 'other')
    await run({ NODE_COMPILE_CACHE: other })
    expect(stored()).toEqual([])
    expect(readdirSync(other)).toHaveLength(1)
  })

  it('is not needed', async () => {
    expect(await run({ HOME: '/dev/null' })).toEqual([])
  })
})

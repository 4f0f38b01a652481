import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { beginCreation, openPreparedData } from './prepared-data.ts'
import { tableNames } from './table-names.ts'

let home: string
let root: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'latchkey-prepared-'))
  root = join(home, 'latchkey')
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true, force: true })
})

function open(schema = 'auth') {
  const place = { schema, namespace: '' }
  const data = openPreparedData({ place, names: tableNames(place), root })
  if (!data) throw new Error('no prepared data')
  return data
}

function folderWith(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(home, 'data-of-project-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const database = {
  PG_VERSION: '17',
  'base/1/112': 'a table',
  'postmaster.pid': '1',
  '.latchkey-lock-1': '',
}
const store = () => open().storeFrom(folderWith(database))
const entry = () => join(root, readdirSync(root).find((name) => name.startsWith('data-')) ?? '')
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the prepared data of a machine (N08)', () => {
  it('are copied into a new folder, without locks of processes', async () => {
    await store()
    const folder = folderWith({ '.latchkey-lock-2': '' })

    expect(await open().copyTo(folder)).toBe(true)
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual([
      '.latchkey-lock-2',
      'PG_VERSION',
      'base',
      'base/1',
      'base/1/112',
    ])
  })

  it('are readable by their owner only', async () => {
    await store()

    expect([modeOf(root), modeOf(entry())]).toEqual([0o700, 0o700])
  })

  it('belong to one schema', async () => {
    await store()

    expect(await open('other').copyTo(folderWith())).toBe(false)
  })

  it.each<[string, () => void]>([
    ['a folder that the group can write', () => chmodSync(root, 0o770)],
    ['an entry that others can write', () => chmodSync(entry(), 0o702)],
    ['a parent that others can write', () => chmodSync(home, 0o777)],
    [
      'a symbolic link',
      () => {
        const own = entry()
        rmSync(own, { recursive: true })
        symlinkSync(folderWith(database), own)
      },
    ],
    [
      'another owner',
      () => void vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1),
    ],
  ])('are not used from %s', async (_, change) => {
    await store()
    change()
    const folder = folderWith()

    expect(await open().copyTo(folder)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  it('are not stored in a folder of others', async () => {
    mkdirSync(root, { mode: 0o777 })
    chmodSync(root, 0o777)
    await store()

    expect(readdirSync(root)).toEqual([])
  })

  it('are stored once by 20 processes', async () => {
    await Promise.allSettled(Array.from({ length: 20 }, store))

    expect(readdirSync(root)).toHaveLength(1)
    expect(await open().copyTo(folderWith())).toBe(true)
  })

  it('are deleted when no project has used them for 30 days', async () => {
    await store()
    const old = join(root, 'data-of-another-version')
    const recent = join(root, 'data-of-this-week')
    for (const folder of [old, recent]) mkdirSync(folder)
    const longAgo = new Date(Date.now() - 31 * 86_400_000)
    utimesSync(old, longAgo, longAgo)
    await open('other').storeFrom(folderWith(database))

    expect(readdirSync(root)).not.toContain('data-of-another-version')
    expect(readdirSync(root)).toContain('data-of-this-week')
  })
})

describe('the creation of a database', () => {
  it('leaves an existing one as it is', async () => {
    const folder = folderWith(database)

    expect(await beginCreation(folder)).toBeNull()
    expect(readdirSync(folder)).toHaveLength(Object.keys(database).length)
  })

  it('deletes the files of an interrupted one', async () => {
    const folder = folderWith({ '.latchkey-lock-2': '' })
    await beginCreation(folder)
    mkdirSync(join(folder, 'base'))
    writeFileSync(join(folder, 'PG_VERSION'), '17')

    const end = await beginCreation(folder)
    await end?.()

    expect(readdirSync(folder)).toEqual(['.latchkey-lock-2'])
  })
})

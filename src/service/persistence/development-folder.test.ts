import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { developmentFolder, developmentRoot, makeDevelopmentFolder } from './development-folder.ts'

const before = process.cwd()
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-development-'))
  process.chdir(folder)
})
afterEach(async () => {
  process.chdir(before)
  await rm(folder, { recursive: true })
})

it('S30 writes through no symbolic link that a repository contains', async () => {
  await writeFile('victim', 'kept')
  await mkdir(developmentFolder)
  await symlink(join(folder, 'victim'), join(developmentFolder, '.gitignore'))
  await makeDevelopmentFolder()

  expect(await readFile('victim', 'utf8')).toBe('kept')
})

it('S65: names the folder and the remedy where the folder cannot be created', async () => {
  await writeFile(developmentFolder, '')

  await expect(makeDevelopmentFolder()).rejects.toThrow(
    '.latchkey cannot be written to (EEXIST). Start in a folder that this user can write to',
  )
})

it('S50: returns the same complete root key to processes that start concurrently', async () => {
  const roots = await Promise.all(Array.from({ length: 20 }, developmentRoot))

  expect(new Set(roots).size).toBe(1)
  expect(roots[0]).toMatch(/^[\w-]{43}$/)
  expect((await readdir(developmentFolder)).sort()).toEqual(['.gitignore', 'root-key'])
  expect((await stat(join(developmentFolder, 'root-key'))).mode & 0o777).toBe(0o600)
})

it.each(['', 'half of a ke'])(
  'S50: rejects the root key %j, which a full disk may cause',
  async (text) => {
    await mkdir(developmentFolder)
    await writeFile(join(developmentFolder, 'root-key'), text)

    await expect(developmentRoot()).rejects.toThrow('.latchkey/root-key is damaged')
  },
)

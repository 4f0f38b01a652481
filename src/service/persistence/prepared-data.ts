import { randomBytes } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { constants, lstat, mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { areOurs, createOurs } from '../../platform/kit/cache-folder.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { migrations } from './migrations.ts'
import type { Namespace, TableNames } from './table-names.ts'

/**
 * Data folders of the embedded database with an empty, migrated schema. Creating one takes seconds,
 * so each version is created once per machine, and copied for further projects.
 */
export interface PreparedData {
  /**
   * Copies the data into a new folder.
   *
   * @returns false without data to copy.
   */
  copyTo(folder: string): Promise<boolean>
  /** Stores a copy of the data of a folder that no statement changes meanwhile. */
  storeFrom(folder: string): Promise<void>
}

const maxUnusedMs = 30 * 86_400_000

/** The file whose presence marks a database. */
const versionFile = 'PG_VERSION'
/** Marks a folder whose database is incomplete. */
const incompleteFile = '.latchkey-incomplete'

/**
 * @param root the folder for all versions. It is used only if no other user can write to it.
 * @returns null on systems whose permissions cannot be checked.
 */
export function openPreparedData({
  place,
  names,
  root,
}: {
  place: Namespace
  names: TableNames
  root: string
}): PreparedData | null {
  if (!process.getuid) return null
  const version = findPgliteVersion()
  if (version === null) return null
  const steps = migrations.map(({ name, statements }) => [name, statements(names)])
  const key = sha256Hex(JSON.stringify([version, place.schema, place.namespace, steps])).slice(
    0,
    32,
  )
  const entry = join(root, `data-${key}`)
  return {
    copyTo: async (folder) => {
      if (!areOurs(root, entry)) return false
      await copyContents(entry, folder).catch(async (error: unknown) => {
        await deleteContents(folder)
        throw error
      })
      const now = new Date()
      await utimes(entry, now, now)
      return true
    },
    storeFrom: async (folder) => {
      if (!createOurs(root)) return
      const draft = join(root, `draft-${randomBytes(6).toString('hex')}`)
      try {
        await mkdir(draft, { mode: 0o700 })
        await copyContents(folder, draft)
        await rename(draft, entry)
      } finally {
        // Another process was faster.
        await rm(draft, { recursive: true, force: true })
      }
      await deleteUnused(root)
    },
  }
}

/**
 * Copies a database; processes are no part of it: their locks, sockets and ids. A copy of the
 * thousand files takes half as long as asynchronously.
 */
async function copyContents(from: string, to: string): Promise<void> {
  for (const name of await contentsOf(from)) {
    cpSync(join(from, name), join(to, name), { recursive: true, mode: constants.COPYFILE_FICLONE })
  }
}

const contentsOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => !name.startsWith('.') && !name.startsWith('postmaster'))

async function deleteContents(folder: string): Promise<void> {
  for (const name of await contentsOf(folder)) await rm(join(folder, name), { recursive: true })
}

/**
 * Begins to create a database in a folder. The files of an interrupted creation are deleted.
 *
 * @returns null if the folder contains a database, else the function that ends the creation.
 */
export async function beginCreation(folder: string): Promise<(() => Promise<void>) | null> {
  const marker = join(folder, incompleteFile)
  const names = await readdir(folder)
  if (names.includes(incompleteFile)) await deleteContents(folder)
  else if (names.includes(versionFile)) return null
  await writeFile(marker, '')
  return () => rm(marker)
}

async function deleteUnused(root: string): Promise<void> {
  const oldest = Date.now() - maxUnusedMs
  for (const name of await readdir(root)) {
    if (!/^(data|draft)-/.test(name)) continue
    const { mtimeMs } = await lstat(join(root, name))
    if (mtimeMs < oldest) await rm(join(root, name), { recursive: true, force: true })
  }
}

/** Returns the version of the embedded PostgreSQL; null where a bundle does not contain its package. */
function findPgliteVersion(): string | null {
  try {
    const orm = createRequire(import.meta.url).resolve('@mikro-orm/pglite')
    const pglite = createRequire(orm).resolve('@electric-sql/pglite')
    const text = readFileSync(join(dirname(pglite), '../package.json'), 'utf8')
    return String(JSON.parse(text).version)
  } catch {
    return null
  }
}

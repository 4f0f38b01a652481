import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../platform/errors/start-errors.ts'

/** The folder for data of development that survives a restart, below the working directory. */
export const developmentFolder = '.latchkey'

export const embeddedDataFolder = join(developmentFolder, 'data')

/** The length of the secrets of production. */
const minRootBytes = 32

/**
 * Returns the root of derived keys in development: generated at the first start and stored, so that
 * sessions survive a restart.
 *
 * @throws ConfigError where the file contains no complete key.
 */
export async function developmentRoot(): Promise<string> {
  await makeDevelopmentFolder()
  const path = join(developmentFolder, 'root-key')
  const root = (await readRoot(path)) ?? (await makeRoot(path))
  if (Buffer.byteLength(root) >= minRootBytes) return root
  throw new ConfigError([
    { path, message: 'is damaged. Delete it: a new one is generated, which ends all sessions' },
  ])
}

const readRoot = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

/**
 * Creates the file with its complete text, also when this process is killed. The first of several
 * processes decides.
 */
async function makeRoot(path: string): Promise<string> {
  const draft = `${path}-${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
    await link(draft, path).catch(async (error: NodeJS.ErrnoException) => {
      // Some file systems have no hard links.
      if (error.code !== 'EEXIST') await rename(draft, path)
    })
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}

/**
 * Creates the folder, only for the owner, and ignored by git.
 *
 * @throws ConfigError where the folder cannot be created or written to.
 */
export async function makeDevelopmentFolder(): Promise<void> {
  await writeDevelopmentFolder().catch((error: NodeJS.ErrnoException) => {
    if (!notWritable.has(error.code ?? '')) throw error
    const message = `cannot be written to (${error.code}). Start in a folder that this user can write to, or set a database`
    throw new ConfigError([{ path: developmentFolder, message }])
  })
}

/** `EEXIST` and `ENOTDIR`: a file has the name of the folder. */
const notWritable = new Set(['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR'])

async function writeDevelopmentFolder(): Promise<void> {
  await mkdir(developmentFolder, { recursive: true })
  await chmod(developmentFolder, 0o700)
  // A repository may contain a symbolic link of this name: an existing one is kept.
  await writeFile(join(developmentFolder, '.gitignore'), '*\n', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
}

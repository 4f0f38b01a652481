import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../platform/errors/config-error.ts'

/** Where development keeps what must survive a restart, below the folder that the process runs in. */
export const developmentFolder = '.latchkey'

export const embeddedDataFolder = join(developmentFolder, 'data')

/** As long as the secrets of production. */
const minRootBytes = 32

/**
 * The root of derived keys in development: made at the first start and kept, so that sessions survive
 * a restart.
 *
 * @throws ConfigError where the file holds less than a key.
 */
export async function developmentRoot(): Promise<string> {
  await makeDevelopmentFolder()
  const path = join(developmentFolder, 'root-key')
  const root = (await readRoot(path)) ?? (await makeRoot(path))
  if (Buffer.byteLength(root) >= minRootBytes) return root
  throw new ConfigError([
    { path, message: 'is damaged: delete it, and a new one is made, which ends all sessions' },
  ])
}

const readRoot = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

/** The file appears with its whole text, whatever ends this process, and the first of several processes decides. */
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

/** Makes the folder: for the owner alone, and out of git wherever it is. */
export async function makeDevelopmentFolder(): Promise<void> {
  await mkdir(developmentFolder, { recursive: true })
  await chmod(developmentFolder, 0o700)
  // A repository may contain a symbolic link of this name: what exists is kept.
  await writeFile(join(developmentFolder, '.gitignore'), '*\n', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
}

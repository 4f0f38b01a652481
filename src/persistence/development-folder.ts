import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where development keeps what must survive a restart, below the folder that the process runs in. */
export const developmentFolder = '.latchkey'

export const embeddedDataFolder = join(developmentFolder, 'data')

/**
 * The root of derived keys in development: made at the first start and kept, so that sessions survive
 * a restart.
 */
export async function developmentRoot(): Promise<string> {
  await makeDevelopmentFolder()
  const path = join(developmentFolder, 'root-key')
  try {
    return await readFile(path, 'utf8')
  } catch {
    await writeFile(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
    return readFile(path, 'utf8')
  }
}

/** Makes the folder: for the owner alone, and out of git wherever it is. */
export async function makeDevelopmentFolder(): Promise<void> {
  await mkdir(developmentFolder, { recursive: true })
  await chmod(developmentFolder, 0o700)
  await writeFile(join(developmentFolder, '.gitignore'), '*\n')
}

import { lstatSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** Returns the folder for data that is created again where it is missing. */
export const cacheFolder = (): string => join(homedir(), '.cache', 'latchkey')

/**
 * Creates a folder, and folders in it, where they are missing.
 *
 * @returns whether they are as {@link areOurs} requires. Nothing is created at a place that another
 *   user controls.
 */
export function createOurs(...folders: [string, ...string[]]): boolean {
  // The variable of the home folder may be empty or relative.
  if (!isAbsolute(folders[0]) || !isTrusted(dirname(dirname(folders[0])))) return false
  mkdirSync(folders.at(-1) ?? '', { recursive: true, mode: 0o700 })
  return areOurs(...folders)
}

/**
 * Reports whether folders and the parent of the first belong to the user of this process, and no
 * other user can write to them, or replace one of the folders that contain them. A symbolic link is
 * none of these, nor is a folder of a system whose permissions cannot be checked.
 */
export function areOurs(...folders: [string, ...string[]]): boolean {
  const uid = process.getuid?.()
  if (uid === undefined) return false
  const parent = dirname(folders[0])
  return (
    isTrusted(dirname(parent)) &&
    [parent, ...folders].every((folder) => {
      const found = statusOf(() => lstatSync(folder))
      return found?.isDirectory() && found.uid === uid && !isWritableByOthers(found)
    })
  )
}

/**
 * Reports whether only the user of this process and the administrator can replace what a folder
 * contains, up to the root of the file system.
 */
function isTrusted(folder: string): boolean {
  const uid = process.getuid?.()
  if (uid === undefined) return false
  const path = statusOf(() => realpathSync(folder))
  for (let at = path; at !== null; at = dirname(at) === at ? null : dirname(at)) {
    const of = at
    const found = statusOf(() => statSync(of))
    if (!found || (found.uid !== uid && found.uid !== 0)) return false
    // In a folder with the sticky bit, such as that for temporary files, users replace own entries only.
    if (isWritableByOthers(found) && (found.mode & 0o1000) === 0) return false
  }
  return path !== null
}

const isWritableByOthers = ({ mode }: Stats): boolean => (mode & 0o022) !== 0

function statusOf<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

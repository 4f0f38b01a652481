import { lstatSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Returns the folder for data that is created again where it is missing. */
export const cacheFolder = (): string => join(homedir(), '.cache', 'latchkey')

/**
 * Reports whether folders and the parent of the first belong to the user of this process, and no
 * other user can write to them. A symbolic link is none of these, nor is a folder of a system whose
 * permissions cannot be checked.
 */
export function areOurs(...folders: [string, ...string[]]): boolean {
  const uid = process.getuid?.()
  if (uid === undefined) return false
  return [dirname(folders[0]), ...folders].every((folder) => {
    const found = statusOf(folder)
    return found?.isDirectory() && found.uid === uid && (found.mode & 0o022) === 0
  })
}

function statusOf(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch {
    return null
  }
}

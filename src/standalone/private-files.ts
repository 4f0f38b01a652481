import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

// Windows has neither.
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_TRUNC, O_WRONLY } = constants

/** For the user of this process alone. */
const privateMode = 0o600

/**
 * Opens a file for appending, creating it when it is missing. Another user can neither read it, nor direct it elsewhere by
 * a symbolic link.
 *
 * A pipe or terminal may be given as well. Of the links there are, only those to the streams of a process are followed.
 *
 * @throws Error when it cannot be opened, with a message that names the remedy for a symbolic link.
 */
export function openToAppend(path: string): number {
  if (streamOfProcess.test(path)) return openSync(path, O_APPEND | O_NONBLOCK | O_WRONLY)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openUnlinked(path, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY)
  hideFromOthers(file)
  return file
}

/** Links that only the system creates. */
const streamOfProcess = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/

/** A file from before may be readable by all. A mode that grants access to a group is the operator's choice. */
function hideFromOthers(file: number): void {
  const status = fstatSync(file)
  if (!status.isFile() || (status.mode & 0o007) === 0) return
  try {
    fchmodSync(file, privateMode)
  } catch (cause) {
    // Some file systems have no modes; a file of another user stays readable for that one.
    if (status.uid === process.getuid?.()) return
    throw new Error('the file belongs to another user, and others can access it', { cause })
  }
}

/** Creates a file. @throws Error when there is one already, or a symbolic link. */
export function createPrivateFile(path: string): number {
  try {
    return openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, privateMode)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    throw new Error(`${path} exists already: name a new file, or delete that one`)
  }
}

/** Writes a file, replacing its text. @throws Error when it is a symbolic link. */
export function writePrivateFile(path: string, text: string): void {
  const file = openUnlinked(path, O_CREAT | O_TRUNC | O_WRONLY)
  try {
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

function openUnlinked(path: string, flags: number): number {
  try {
    return openSync(path, flags | O_NOFOLLOW, privateMode)
  } catch (error) {
    // FreeBSD reports a link as EMLINK.
    if (!['ELOOP', 'EMLINK'].includes(codeOf(error))) throw error
    throw new Error(`${path} is a symbolic link, which is not followed: name the file itself`)
  }
}

const codeOf = (error: unknown): string => String(Object(error).code)

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { escapeControls } from '../platform/kit/escape-controls.ts'
import { describeError } from '../platform/observability/describe-error.ts'
import { UsageError } from './command-error.ts'
import { describeRefusedFile } from './refused-file.ts'

// Flags that Windows lacks.
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_TRUNC, O_WRONLY } = constants

/** Access for the process's user only. */
const privateMode = 0o600

/**
 * Opens a file for appending, and creates it if it is missing. Another user can neither read it nor
 * redirect it by a symbolic link.
 *
 * The path may also name a pipe or terminal. Symbolic links are followed only to the streams of a
 * process.
 *
 * @throws Error if it cannot be opened, with a message that names the remedy for a symbolic link.
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

/**
 * Restricts an existing file that all can read to its owner. A mode that grants access to a group
 * is the operator's choice.
 */
function hideFromOthers(file: number): void {
  const status = fstatSync(file)
  if (!status.isFile() || (status.mode & 0o007) === 0) return
  try {
    fchmodSync(file, privateMode)
  } catch (cause) {
    // Some file systems have no modes. A file of another user remains readable for that user.
    if (status.uid === process.getuid?.()) return
    throw new Error('the file belongs to another user, and others can access it', { cause })
  }
}

/** Creates a file. @throws Error if it exists already, or is a symbolic link. */
function createPrivateFile(path: string): number {
  try {
    return openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, privateMode)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    throw new Error(`${path} exists already: name a new file, or delete that one`)
  }
}

/** Writes a file, replacing its text. @throws Error if it is a symbolic link. */
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

/**
 * A new file of JSON lines, each written at once, so that none is buffered. Only its owner can read
 * it.
 */
interface JsonLinesFile {
  write(line: object): void
  /**
   * Closes the file, and deletes it if it is empty, so that the command may be repeated with the
   * same name.
   */
  close(): void
}

/** @throws UsageError if the file exists already, or cannot be written. */
export function openJsonLines(command: string, path: string): JsonLinesFile {
  const file = open(command, path)
  let isEmpty = true
  return {
    write: (line) => {
      isEmpty = false
      writeSync(file, `${escapeControls(JSON.stringify(line))}\n`)
    },
    close: () => {
      closeSync(file)
      if (isEmpty) rmSync(path, { force: true })
    },
  }
}

function open(command: string, path: string): number {
  try {
    return createPrivateFile(path)
  } catch (error) {
    const reason =
      codeOf(error) === 'ENOENT'
        ? `${path} cannot be created, as its folder does not exist. Create the folder, or name another file`
        : (describeRefusedFile(error) ?? describeError(error))
    throw new UsageError(`${command}: ${reason}`)
  }
}

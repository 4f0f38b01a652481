import { closeSync, rmSync, writeSync } from 'node:fs'
import { escapeControls } from '../platform/kit/escape-controls.ts'
import { describeError } from '../platform/observability/describe-error.ts'
import { UsageError } from './command-error.ts'
import { createPrivateFile } from './private-files.ts'

/**
 * A new file of JSON lines, each written at once, so that none is buffered. Only its owner can read
 * it.
 */
export interface JsonLinesFile {
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
    throw new UsageError(`${command}: ${describeError(error)}`)
  }
}

import { closeSync, openSync, writeSync } from 'node:fs'
import { inWords } from './in-words.ts'
import { UsageError } from './usage-error.ts'

/** A file of JSON lines, each written as it comes: nothing waits in memory. For its owner's eyes. */
export interface JsonLinesFile {
  write(line: object): void
  close(): void
}

/** @throws UsageError when the file cannot be written. */
export function openJsonLines(command: string, path: string): JsonLinesFile {
  const file = open(command, path)
  return {
    write: (line) => void writeSync(file, `${JSON.stringify(line)}\n`),
    close: () => closeSync(file),
  }
}

function open(command: string, path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch (error) {
    throw new UsageError(`${command}: ${inWords(error)}`)
  }
}

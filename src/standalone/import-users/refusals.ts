import { closeSync, openSync, writeSync } from 'node:fs'
import type { ImportRefusal } from '../../flows/import-users/import-input.ts'

/** Where refused lines are told of. They are written one by one: nothing waits in memory. */
export interface RefusalReport {
  add(refusal: ImportRefusal): void
  close(): void
}

/**
 * Lines of JSON in a file.
 *
 * @throws Error when the file cannot be written.
 */
export function reportToFile(path: string): RefusalReport {
  const file = openSync(path, 'w', 0o600)
  return {
    add: ({ place, code, field, message }) => {
      writeSync(file, `${JSON.stringify({ line: place, code, field, message })}\n`)
    },
    close: () => closeSync(file),
  }
}

/** Lines for people, on standard error. */
export const reportToPeople = (beforeLine: () => void): RefusalReport => ({
  add: ({ place, code, message }) => {
    beforeLine()
    process.stderr.write(`line ${place}: ${message} (${code})\n`)
  },
  close: () => {},
})

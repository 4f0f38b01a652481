import type { ImportRefusal } from '../../moving-in/users/import-input.ts'
import { openJsonLines } from '../json-lines-file.ts'

/** Where refused lines are told of. */
export interface RefusalReport {
  add(refusal: ImportRefusal): void
  close(): void
}

/**
 * Lines of JSON in a file.
 *
 * @throws UsageError when the file cannot be written.
 */
export function reportToFile(path: string): RefusalReport {
  const file = openJsonLines('import users', path)
  return {
    add: ({ place, code, field, message }) => file.write({ line: place, code, field, message }),
    close: file.close,
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

import type { ImportRefusal } from '../../moving-in/users/import-input.ts'
import { openJsonLines } from '../json-lines-file.ts'

/** A record of a file that was not stored, by the line where it begins, from 1. */
export interface RefusedLine extends Omit<ImportRefusal, 'place'> {
  line: number
}

/** A record of a file has its line as its place: see `record-source.ts`. */
export const refusedLine = ({ place: line, ...refusal }: ImportRefusal): RefusedLine => ({
  line,
  ...refusal,
})

/** Where refused lines are told of. */
export interface RefusalReport {
  add(refused: RefusedLine): void
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
    add: ({ line, code, field, message }) => file.write({ line, code, field, message }),
    close: file.close,
  }
}

/** Lines for people, on standard error. */
export const reportToPeople = (beforeLine: () => void): RefusalReport => ({
  add: ({ line, code, message }) => {
    beforeLine()
    process.stderr.write(`line ${line}: ${message} (${code})\n`)
  },
  close: () => {},
})

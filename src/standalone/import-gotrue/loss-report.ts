import { closeSync, openSync, writeSync } from 'node:fs'
import type { Loss } from '../../flows/import-gotrue/import-report.ts'
import { inWords } from '../in-words.ts'
import { UsageError } from '../usage-error.ts'

/** Where it is told what was not brought over. */
export interface LossReport {
  add(loss: Loss): void
  close(): void
}

/**
 * Lines of JSON in a file, written one by one.
 *
 * @throws UsageError when the file cannot be written.
 */
export function openLossReport(path: string | null): LossReport {
  if (path === null) return { add: () => {}, close: () => {} }
  const file = open(path)
  return {
    add: ({ userId, ...loss }) => {
      writeSync(file, `${JSON.stringify({ user_id: userId, ...loss })}\n`)
    },
    close: () => closeSync(file),
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch (error) {
    throw new UsageError(`import gotrue: ${inWords(error)}`)
  }
}

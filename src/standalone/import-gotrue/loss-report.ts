import type { Loss } from '../../moving-in/gotrue/import-report.ts'
import { openJsonLines } from '../json-lines-file.ts'

/** Where it is told what was not brought over. */
export interface LossReport {
  add(loss: Loss): void
  close(): void
}

/** @throws UsageError when the file cannot be written. */
export function openLossReport(path: string | null): LossReport {
  if (path === null) return { add: () => {}, close: () => {} }
  const file = openJsonLines('import gotrue', path)
  return {
    add: ({ userId, ...loss }) => file.write({ user_id: userId, ...loss }),
    close: file.close,
  }
}

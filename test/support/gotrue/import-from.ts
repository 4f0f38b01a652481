import { parseColumnKeys } from '../../../src/import/gotrue/column-encryption.ts'
import { type ImportGotrueInput, importGotrue } from '../../../src/import/gotrue/import-gotrue.ts'
import type { GotrueImportReport, Loss } from '../../../src/import/gotrue/import-report.ts'
import { openCall } from '../../../src/service/api/call-options.ts'
import { openSource } from '../../../src/service/persistence/open-source.ts'
import type { TestAuth } from '../test-auth.ts'
import { columnKeys } from './source-database.ts'

export interface ImportOptions extends ImportGotrueInput {
  keys?: string
  schema?: string
}

/** Runs the import once, and returns its report. */
export async function importFrom(
  url: string,
  auth: Pick<TestAuth, 'deps'>,
  { keys = columnKeys, schema = 'auth', ...input }: ImportOptions = {},
): Promise<GotrueImportReport & { reportedLosses: Loss[] }> {
  const connection = await openSource(url)
  const reportedLosses: Loss[] = []
  try {
    const source = { connection, schema, keys: parseColumnKeys(keys) ?? new Map() }
    const onLoss = (loss: Loss) => void reportedLosses.push(loss)
    const ctx = openCall(await auth.deps())
    const report = await importGotrue(ctx, { role: 'host' }, source, { onLoss, ...input })
    return { ...report, reportedLosses }
  } finally {
    await connection.close()
  }
}

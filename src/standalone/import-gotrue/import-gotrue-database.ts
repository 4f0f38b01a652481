import { importCustomProviders } from '../../capabilities/custom-providers/import-custom-providers.ts'
import { importOauthServer } from '../../capabilities/oauth-server/import-oauth-server.ts'
import type { ColumnKeys } from '../../import/gotrue/column-encryption.ts'
import { importGotrue } from '../../import/gotrue/import-gotrue.ts'
import type {
  GotrueImportProgress,
  GotrueImportReport,
  Loss,
} from '../../import/gotrue/import-report.ts'
import { openCall } from '../../service/api/call-options.ts'
import { openSource } from '../../service/persistence/open-source.ts'
import { openJsonLines } from '../json-lines-file.ts'
import { directOutsideFetch, openForStoring, operator } from '../operator.ts'
import { createProgressDisplay, formatCount } from '../progress-display.ts'
import type { SettingsSources } from '../settings-files.ts'

export interface GotrueRequest {
  url: string
  schema: string
  keys: ColumnKeys
  dryRun: boolean
  prune: boolean
  /** The file for the losses. Null to count them only. */
  reportFile: string | null
}

/**
 * Imports the contents of a GoTrue database into the configured one. Required are the database, and
 * a root key, which seals factors and hashes refresh tokens.
 */
export async function importGotrueDatabase(
  request: GotrueRequest,
  code: SettingsSources['code'],
): Promise<GotrueImportReport> {
  const losses = openLossReport(request.reportFile)
  const display = createProgressDisplay()
  let opened: Awaited<ReturnType<typeof openForStoring>> | undefined
  try {
    const connection = await openSource(request.url)
    try {
      opened = await openForStoring('root keys', code)
      const { deps } = opened
      const { schema, keys, dryRun, prune } = request
      return await importGotrue(
        openCall({ ...deps, outsideFetch: directOutsideFetch }),
        operator,
        { connection, schema, keys },
        {
          dryRun,
          prune,
          parts: [importOauthServer, importCustomProviders],
          onLoss: losses.add,
          onProgress: (progress) => display.show(describeProgress(progress), shareOf(progress)),
        },
      )
    } finally {
      await connection.close()
    }
  } finally {
    display.clear()
    losses.close()
    await opened?.close()
  }
}

const shareOf = ({ done, total }: GotrueImportProgress): number | null =>
  total === 0 ? null : Math.min(1, done / total)

const describeProgress = ({ users, sessions }: GotrueImportProgress): string =>
  `${formatCount(users.added)} users added, ${formatCount(users.updated)} updated, ` +
  `${formatCount(users.refused)} rejected, ${formatCount(sessions.opened)} sessions`

/** A record of data that was not imported. */
interface LossReport {
  add(loss: Loss): void
  close(): void
}

/** @throws UsageError when the file cannot be written. */
function openLossReport(path: string | null): LossReport {
  if (path === null) return { add: () => {}, close: () => {} }
  const file = openJsonLines('import gotrue', path)
  return {
    add: ({ userId, ...loss }) => file.write({ user_id: userId, ...loss }),
    close: file.close,
  }
}

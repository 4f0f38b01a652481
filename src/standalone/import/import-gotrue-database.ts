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
import { directOutsideFetch, openForCommand, operator } from '../operator.ts'
import { openJsonLines } from '../private-files.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { createProgressDisplay, formatCount } from '../terminal/progress-display.ts'
import { requireRootKeys } from './require-root-keys.ts'

export interface GotrueRequest {
  url: string
  schema: string
  keys: ColumnKeys
  dryRun: boolean
  prune: boolean
  /** The percentage of the imported users that may be deleted. */
  pruneShare: number | null
  /** Whether stored values may need root keys that are not configured. */
  replaceRootKey: boolean
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
  let opened: Awaited<ReturnType<typeof openForCommand>> | undefined
  try {
    const connection = await openSource(request.url)
    try {
      const { schema, keys, dryRun, prune, pruneShare, replaceRootKey } = request
      opened = await openForCommand('root keys', code, { storesNothing: dryRun })
      const { deps } = opened
      if (!replaceRootKey) await requireRootKeys(deps.database.sql, deps.roots)
      return await importGotrue(
        openCall({ ...deps, outsideFetch: directOutsideFetch }),
        operator,
        { connection, schema, keys },
        {
          dryRun,
          prune,
          pruneShare,
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

/** Returns the result of an import as table rows, one for each number. */
export function rowsOf({
  users,
  sessions,
  factors,
  passkeys,
  applications,
}: GotrueImportReport): string[][] {
  const counts = {
    'users added': users.added,
    'users updated': users.updated,
    'users unchanged': users.unchanged,
    'users changed here since': users.changedHere,
    'users deleted here since': users.deletedHere,
    'users rejected': users.refused,
    'sign-ups replaced': users.signUpsReplaced,
    'users missing at the source': users.missing,
    'users removed': users.removed,
    'factors added': factors.added,
    'factors removed': factors.removed,
    'factors sealed again': factors.resealed,
    'passkeys added': passkeys.added,
    'sessions opened': sessions.opened,
    'sessions ended': sessions.ended,
    'OAuth clients added': applications.oauthClients,
    'OAuth consents added': applications.oauthConsents,
    'custom providers added': applications.customProviders,
  }
  return Object.entries(counts).map(([name, count]) => [name, String(count)])
}

const names: Record<keyof GotrueImportReport['staysBehind'], string> = {
  ssoProviders: 'SSO provider',
  pendingLinks: 'pending link or code',
  tokensWithoutSession: 'refresh token without a session',
}

/** Returns remarks on data that was not imported, or was deleted. */
export function remarksOn(
  report: GotrueImportReport,
  { dryRun, prune }: { dryRun: boolean; prune: boolean },
): string[] {
  const { losses, rootKey, staysBehind, users } = report
  const lost = Object.entries(losses).map(([kind, count]) => `${formatCount(count)} × ${kind}`)
  const stays = Object.entries(staysBehind)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${formatCount(count)} × ${names[kind as keyof typeof names]}`)
  return [
    ...(dryRun ? ['This was a dry run: nothing was stored.'] : []),
    `New factors and refresh tokens need root key ${rootKey}; latchkey keys list names the keys of the service.`,
    ...(lost.length > 0 ? [`Not imported: ${lost.join(', ')}`] : []),
    ...(stays.length > 0 ? [`Remains at the source: ${stays.join(', ')}`] : []),
    ...(users.missing > 0 && !prune
      ? [
          'Users of earlier runs no longer exist at the source; --prune deletes those not changed here.',
        ]
      : []),
  ]
}

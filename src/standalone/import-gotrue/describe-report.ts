import type { GotrueImportReport } from '../../import/gotrue/import-report.ts'
import { formatCount } from '../progress-display.ts'

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
    'users refused': users.refused,
    'sign-ups replaced': users.signUpsReplaced,
    'users missing at the source': users.missing,
    'users removed': users.removed,
    'factors added': factors.added,
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
  const { losses, staysBehind, users } = report
  const lost = Object.entries(losses).map(([kind, count]) => `${formatCount(count)} × ${kind}`)
  const stays = Object.entries(staysBehind)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${formatCount(count)} × ${names[kind as keyof typeof names]}`)
  return [
    ...(dryRun ? ['This was a dry run: nothing was stored.'] : []),
    ...(lost.length > 0 ? [`Not imported: ${lost.join(', ')}`] : []),
    ...(stays.length > 0 ? [`Remains at the source: ${stays.join(', ')}`] : []),
    ...(users.missing > 0 && !prune
      ? [
          'Users of earlier runs no longer exist at the source; --prune deletes those not changed here.',
        ]
      : []),
  ]
}

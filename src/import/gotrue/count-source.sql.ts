import type { SourceConnection } from './source-connection.ts'
import type { SourceLayout } from './source-layout.sql.ts'

export const countUsers = (source: SourceConnection, layout: SourceLayout): Promise<number> =>
  count(source, layout.table('users'))

/** The data that are not imported, in the order of the report, with their tables. */
const staysBehind = {
  ssoProviders: 'sso_providers',
  pendingLinks: 'one_time_tokens',
} as const

/** The number of rows of each kind that remain at the source. */
export type StaysBehind = Record<keyof typeof staysBehind | 'tokensWithoutSession', number>

export async function countWhatStays(
  source: SourceConnection,
  layout: SourceLayout,
): Promise<StaysBehind> {
  const counts: Partial<StaysBehind> = {}
  for (const [kind, table] of Object.entries(staysBehind) as [keyof StaysBehind, string][]) {
    counts[kind] = layout.has(table) ? await count(source, layout.table(table)) : 0
  }
  counts.tokensWithoutSession = await countTokensWithoutSession(source, layout)
  return counts as StaysBehind
}

/** Counts tokens from before GoTrue stored sessions: later releases reject and delete them. */
function countTokensWithoutSession(
  source: SourceConnection,
  layout: SourceLayout,
): Promise<number> | number {
  if (!layout.has('refresh_tokens')) return 0
  const orphaned = layout.has('refresh_tokens', 'session_id') ? 'session_id is null and' : ''
  return count(source, `${layout.table('refresh_tokens')} where ${orphaned} revoked is not true`)
}

async function count(source: SourceConnection, from: string): Promise<number> {
  const [row] = await source.query<{ count: string }>(`select count(*) from ${from}`)
  return Number(row?.count)
}

import type { SourceConnection } from './source-connection.ts'
import type { SourceLayout } from './source-layout.sql.ts'

export const countUsers = (source: SourceConnection, layout: SourceLayout): Promise<number> =>
  count(source, layout.table('users'))

/** What is not brought over, in the order in which it is told, with the tables that hold it. */
const staysBehind = {
  passkeys: 'webauthn_credentials',
  ssoProviders: 'sso_providers',
  oauthClients: 'oauth_clients',
  oauthConsents: 'oauth_consents',
  customProviders: 'custom_oauth_providers',
  pendingLinks: 'one_time_tokens',
} as const

/** How many rows of each kind there are that stay where they are. */
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

/** From before sessions were kept: the service itself refuses them, and deletes them when they are used. */
const countTokensWithoutSession = async (source: SourceConnection, layout: SourceLayout) =>
  layout.has('refresh_tokens', 'session_id')
    ? count(source, `${layout.table('refresh_tokens')} where session_id is null and not revoked`)
    : 0

async function count(source: SourceConnection, from: string): Promise<number> {
  const [row] = await source.query<{ count: string }>(`select count(*) from ${from}`)
  return Number(row?.count)
}

import type { StaysBehind } from './source.sql.ts'

/** The results for users of the source so far. */
export interface UserCounts {
  /** Stored; in a dry run, the number that would be. */
  added: number
  /** Changed at the source since an earlier run, and not here. */
  updated: number
  unchanged: number
  /** Changed here since, and therefore skipped. */
  changedHere: number
  /** Deleted here since, and therefore not restored. */
  deletedHere: number
  /** Another user here has the id, address or identity, or a value exceeds a limit. */
  refused: number
  /** Deleted unconfirmed accounts here whose addresses belong to imported users. */
  signUpsReplaced: number
  /** Users of an earlier run that no longer exist at the source. */
  missing: number
  /** The number of missing users that were deleted here. */
  removed: number
}

/** The kinds of data that belong to capabilities. */
export type PartKind = 'oauthClients' | 'oauthConsents' | 'customProviders'

export interface GotrueImportProgress {
  /** The number of processed users. */
  done: number
  /** The total number. */
  total: number
  users: UserCounts
  sessions: { opened: number; ended: number }
  /** `resealed`: the number of factors that no configured root key opened. */
  factors: { added: number; removed: number; resealed: number }
  passkeys: { added: number }
  /** Data that belong to the OAuth server and to custom providers. */
  applications: Record<PartKind, number>
}

/** Data that were not imported. Contains no personal data. */
export interface Loss {
  /** Null for data that belong to no user. */
  userId: string | null
  what:
    | ('user' | 'change' | 'password' | 'role' | 'session' | 'factor' | 'passkey')
    | ('OAuth client' | 'OAuth consent' | 'custom provider')
  /** The id of an OAuth client, or the identifier of a custom provider. */
  id?: string
  reason: string
  /** The number of losses that are reported together. */
  count?: number
}

export interface GotrueImportReport extends GotrueImportProgress {
  /** The id of the root key that seals factors and hashes refresh tokens. */
  rootKey: string
  /** The number of losses of each kind: `session: over` → 17. */
  losses: Record<string, number>
  /** Data that belong to no user, or have no counterpart here. */
  staysBehind: StaysBehind
}

export const emptyReport = (
  total: number,
  { rootKey, staysBehind }: Pick<GotrueImportReport, 'rootKey' | 'staysBehind'>,
): GotrueImportReport => ({
  rootKey,
  done: 0,
  total,
  users: {
    added: 0,
    updated: 0,
    unchanged: 0,
    changedHere: 0,
    deletedHere: 0,
    refused: 0,
    signUpsReplaced: 0,
    missing: 0,
    removed: 0,
  },
  sessions: { opened: 0, ended: 0 },
  factors: { added: 0, removed: 0, resealed: 0 },
  passkeys: { added: 0 },
  applications: { oauthClients: 0, oauthConsents: 0, customProviders: 0 },
  losses: {},
  staysBehind,
})

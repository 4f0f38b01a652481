import type { StaysBehind } from './count-source.sql.ts'

/** What became of the users that the other service has, so far. */
export interface UserCounts {
  /** Stored; in a dry run, what would be. */
  added: number
  /** Changed at the other service since an earlier run, and not here. */
  updated: number
  unchanged: number
  /** Changed here since, and therefore left alone. */
  changedHere: number
  /** Deleted here since, and therefore not brought back. */
  deletedHere: number
  /** Somebody else here has the id, address or identity. */
  refused: number
  /** Sign-ups here that nobody had proved, and whose addresses are of users who were stored: they are gone. */
  signUpsReplaced: number
  /** Of an earlier run, and gone from the other service. */
  missing: number
  /** Those of the missing that were deleted here. */
  removed: number
}

export interface GotrueImportProgress {
  /** How many users were looked at. */
  done: number
  /** How many there are. */
  total: number
  users: UserCounts
  sessions: { opened: number; ended: number }
  factors: { added: number }
  passkeys: { added: number }
}

/** Something that is not brought over though it belongs to a user. It quotes nothing of the person. */
export interface Loss {
  userId: string
  what: 'user' | 'password' | 'session' | 'factor' | 'passkey'
  reason: string
  /** How many, where they are told together. */
  count?: number
}

export interface GotrueImportReport extends GotrueImportProgress {
  /** How often each kind of loss came up: `session: over` → 17. */
  losses: Record<string, number>
  /** What is of no single user, or has no place here. */
  staysBehind: StaysBehind
}

export const emptyReport = (total: number, staysBehind: StaysBehind): GotrueImportReport => ({
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
  factors: { added: 0 },
  passkeys: { added: 0 },
  losses: {},
  staysBehind,
})

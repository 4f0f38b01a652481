import type { AuthContext } from '../../accounts/auth-context.ts'
import type { UserWithPassword } from '../../accounts/users/find-user.sql.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { ColumnKeys } from './column-encryption.ts'
import type { Loss } from './import-report.ts'
import { readAccount } from './read-account.ts'
import { isVerified, lacksCredential, type ReadFactor, readFactor } from './read-factors.ts'
import { type ReadPasskey, readPasskey } from './read-passkeys.ts'
import { type ReadSession, readSession } from './read-sessions.ts'
import type { SourceUser } from './source-records.ts'

/** A user of the source in Latchkey's form, with all data. */
export interface ReadUser {
  moved: UserWithPassword
  factors: ReadFactor[]
  passkeys: ReadPasskey[]
  sessions: ReadSession[]
  /** Changes with account, password, factors or passkeys: see `hasOtherPassword`. */
  fingerprint: string
  losses: Loss[]
}

/** @throws SourceError if a column is encrypted with a missing key. */
export function readUser(ctx: AuthContext, source: SourceUser, keys: ColumnKeys): ReadUser {
  const userId = source.user.id
  const now = ctx.clock.now()
  const losses: Loss[] = []
  const lose = (what: Loss['what'], reason: string) => losses.push({ userId, what, reason })

  const { lacksPassword, lacksRole, ...moved } = readAccount(ctx.config, source, keys)
  if (lacksPassword) lose('password', 'unknown hash')
  if (lacksRole) lose('role', 'of operators')

  const verified = source.factors.filter(isVerified)
  for (const _factor of source.factors.slice(verified.length)) lose('factor', 'unverified')
  const factors = verified.map((factor) => readFactor(keys, userId, factor))
  for (const _factor of factors.filter(lacksCredential)) lose('factor', 'unknown credential')

  const passkeys: ReadPasskey[] = []
  for (const record of source.passkeys) {
    const read = readPasskey(userId, record)
    if (read) passkeys.push(read)
    else lose('passkey', 'unknown credential')
  }

  const sessions: ReadSession[] = []
  for (const record of source.sessions) {
    const read = readSession({ ...ctx, keys, now }, record, source.identities)
    if (typeof read === 'string') lose('session', read)
    else sessions.push(read)
  }
  const count = source.sessionsLeft
  if (count > 0) losses.push({ userId, what: 'session', reason: 'too many', count })
  const fingerprint = fingerprintOf(moved, factors, passkeys)
  return { moved, factors, passkeys, sessions, losses, fingerprint }
}

const halfLength = 32

const digest = (value: unknown): string => sha256Hex(JSON.stringify(value)).slice(0, halfLength)

/**
 * Returns a digest that changes with the source's data of a user: account, factors and passkeys in
 * its first half, the password in its second. The hash stored here cannot be compared, since a
 * sign-in rehashes the password.
 */
const fingerprintOf = (
  { passwordHash, ...rest }: UserWithPassword,
  factors: readonly ReadFactor[],
  passkeys: readonly ReadPasskey[],
): string => digest([rest, factors, passkeys]) + digest(passwordHash)

export const hasOtherPassword = (fingerprint: string, former: string): boolean =>
  fingerprint.slice(halfLength) !== former.slice(halfLength)

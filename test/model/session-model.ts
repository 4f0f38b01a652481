/** The expected state of a session, in its simplest form. */
export interface ModelSession {
  accessToken: string
  accessTokenExpiresAt: number
  /** All returned refresh tokens, oldest first. */
  refreshTokens: string[]
  rotatedAt: number
  state: 'live' | 'revoked' | 'deleted'
}

/** One user with all sessions, and the time. */
export interface Model {
  /** Seconds. */
  now: number
  password: string
  passwordsSet: number
  bannedUntil: number
  sessions: ModelSession[]
}

export const lifetimeSeconds = 3600
export const reuseIntervalSeconds = 10

export const newModel = (password: string): Model => ({
  now: 0,
  password,
  passwordsSet: 0,
  bannedUntil: 0,
  sessions: [],
})

export const isBanned = ({ now, bannedUntil }: Model): boolean => now < bannedUntil

/** Returns the error code for a request with a session's access token; null for none. */
export function rejectionOfCaller(model: Model, session: ModelSession): string | null {
  if (model.now >= session.accessTokenExpiresAt) return 'bad_jwt'
  if (session.state !== 'live') return 'session_not_found'
  return isBanned(model) ? 'user_banned' : null
}

/** Returns the expected result of a refresh token with `age` successors. */
export function outcomeOfRefresh(
  model: Model,
  session: ModelSession,
  age: number,
): { rejection: string; revokes: boolean } | 'next' | 'same' {
  if (session.state === 'deleted') return { rejection: 'refresh_token_not_found', revokes: false }
  if (isBanned(model)) return { rejection: 'user_banned', revokes: false }
  if (session.state === 'revoked')
    return { rejection: 'refresh_token_already_used', revokes: false }
  if (age === 0) return 'next'
  const isYoung = model.now - session.rotatedAt < reuseIntervalSeconds
  if (age === 1 && isYoung) return 'same'
  return { rejection: 'refresh_token_already_used', revokes: true }
}

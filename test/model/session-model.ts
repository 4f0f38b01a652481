/** What one session should be like, as plain as it can be said. */
export interface ModelSession {
  accessToken: string
  accessTokenExpiresAt: number
  /** Every refresh token that was answered, oldest first. */
  refreshTokens: string[]
  rotatedAt: number
  state: 'live' | 'revoked' | 'gone'
}

/** One user and all sessions, and the time. */
export interface Model {
  /** In seconds. */
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

/** The code that a request with a session's access token should be refused with; null when none. */
export function refusalOfCaller(model: Model, session: ModelSession): string | null {
  if (model.now >= session.accessTokenExpiresAt) return 'bad_jwt'
  if (session.state !== 'live') return 'session_not_found'
  return isBanned(model) ? 'user_banned' : null
}

/** What should come of a refresh token that has been followed by `age` others. */
export function outcomeOfRefresh(
  model: Model,
  session: ModelSession,
  age: number,
): { refusal: string; revokes: boolean } | 'next' | 'same' {
  if (session.state === 'gone') return { refusal: 'refresh_token_not_found', revokes: false }
  if (isBanned(model)) return { refusal: 'user_banned', revokes: false }
  if (session.state === 'revoked') return { refusal: 'refresh_token_already_used', revokes: false }
  if (age === 0) return 'next'
  const isYoung = model.now - session.rotatedAt < reuseIntervalSeconds
  if (age === 1 && isYoung) return 'same'
  return { refusal: 'refresh_token_already_used', revokes: true }
}

import { refreshTokenNotFound } from '../../accounts/sessions/session-errors.ts'
import type { SessionTokens } from '../../accounts/sessions/session-tokens.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { createSingleFlight } from '../../platform/kit/single-flight.ts'
import type { Auth } from '../../service/create-auth.ts'
import { type CookieJar, type SessionEnds, setAll } from './cookie-jar.ts'
import type { CookieChange } from './session-cookie.ts'

export interface Renewals extends SessionEnds {
  /** Renews the session of a refresh token. */
  renew(refreshToken: string, client: RenewingClient): Promise<SessionTokens>
  /**
   * To be told of a session that has ended, or slower requests with its old cookies would bring it back.
   *
   * @param sessionId as a verified access token names it: what a cookie says of itself may be that of somebody else.
   */
  end(sessionId: string): void
}

/** Who asks, as it is stored with the session. */
export interface RenewingClient {
  ip?: string | undefined
  userAgent?: string | undefined
}

/** Requests that a browser sent with the old cookies arrive while the answer with the new ones is on its way. */
const rememberedMs = 10_000

/** A page may be rendered for a while between the renewal of its session and its response. */
const endRememberedMs = 60_000

interface FilledJar {
  jar: WeakRef<CookieJar>
  removals: readonly CookieChange[]
}

/**
 * Renews a session once for all requests of this process that bring the same refresh token, be they at once or shortly
 * after one another. Other processes get the same successor from the database, for
 * `security.refreshTokens.reuseIntervalSeconds`: whichever answer a browser takes last, its cookies are good.
 *
 * What it remembers is forgotten with the next renewal after its time.
 */
export function createRenewals({ api }: Pick<Auth, 'api'>, clock: Clock): Renewals {
  const running = createSingleFlight()
  // In the order of their ends.
  const renewed = new Map<string, { session: SessionTokens; endsAt: number }>()
  const ended = new Map<string, { endsAt: number }>()
  const filled = new Map<string, { jars: FilledJar[]; endsAt: number }>()
  const lastSession = new WeakMap<CookieJar, string>()
  const now = (): number => clock.now().getTime()
  const hasEnded = (sessionId: string): boolean => (ended.get(sessionId)?.endsAt ?? 0) > now()
  return {
    renew: async (refreshToken, { ip, userAgent }) => {
      // The secrets themselves are no keys of a table that lives on.
      const key = sha256Hex(refreshToken)
      for (const entries of [renewed, ended, filled]) forgetPast(entries, now())
      const known = renewed.get(key)
      if (known) return known.session
      return running(key, async () => {
        const { session } = await api.refreshSession({ refreshToken }, { ip, userAgent })
        // Somebody signed out while the answer was on its way.
        if (hasEnded(session.id)) throw refreshTokenNotFound()
        renewed.set(key, { session, endsAt: now() + rememberedMs })
        return session
      })
    },
    end: (sessionId) => {
      for (const [key, { session }] of renewed) if (session.id === sessionId) renewed.delete(key)
      ended.delete(sessionId)
      ended.set(sessionId, { endsAt: now() + endRememberedMs })
      for (const { jar, removals } of filled.get(sessionId)?.jars ?? []) {
        const held = jar.deref()
        if (held && lastSession.get(held) === sessionId) tryToSetAll(held, removals)
      }
      filled.delete(sessionId)
    },
    hasEnded,
    removeAtEnd: (sessionId, jar, removals) => {
      const jars = [...(filled.get(sessionId)?.jars ?? []), { jar: new WeakRef(jar), removals }]
      lastSession.set(jar, sessionId)
      filled.delete(sessionId)
      filled.set(sessionId, { jars, endsAt: now() + endRememberedMs })
    },
  }
}

/** A host that has sent its response rejects cookies. */
function tryToSetAll(jar: CookieJar, changes: readonly CookieChange[]): void {
  try {
    setAll(jar, changes)
  } catch {
    // The browser has cookies of an ended session, which the next renewal removes.
  }
}

function forgetPast(entries: Map<string, { endsAt: number }>, now: number): void {
  for (const [key, { endsAt }] of entries) {
    if (endsAt > now) return
    entries.delete(key)
  }
}

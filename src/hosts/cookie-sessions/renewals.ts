import { refreshTokenNotFound } from '../../accounts/sessions/session-errors.ts'
import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { createSingleFlight } from '../../platform/kit/concurrency.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { CallOptions } from '../../service/api/call-options.ts'
import type { SessionService } from '../../service/api/session-service.ts'
import { type CookieJar, type SessionEnds, setAll } from './cookie-jar.ts'
import type { CookieChange } from './session-cookie.ts'

export interface Renewals extends SessionEnds {
  /** Renews the session of a refresh token. */
  renew(refreshToken: string, client: RenewingClient): Promise<SessionTokens>
  /**
   * Must be called when a session has ended: slower requests with its old cookies would otherwise
   * restore it.
   *
   * @param sessionId from a verified access token: the id in a cookie may be forged.
   */
  end(sessionId: string): void
}

/** The client of a renewal, as stored with the session. */
export type RenewingClient = Pick<CallOptions, 'ip' | 'userAgent'>

/** Requests with the old cookies may be received while the response with the new ones is sent. */
const retentionMs = 10_000

/** A page may be rendered for a while between the renewal of its session and its response. */
const endRetentionMs = 60_000

interface FilledJar {
  jar: WeakRef<CookieJar>
  removals: readonly CookieChange[]
}

/**
 * Renews a session once for all requests of this process with the same refresh token, concurrent or
 * within a short time. Other processes get the same successor from the database, for
 * `security.refreshTokens.reuseIntervalSeconds`: the cookies are valid whichever response a browser
 * processes last.
 *
 * Expired entries are deleted at the next renewal.
 */
export function createRenewals({ api }: Pick<SessionService, 'api'>, clock: Clock): Renewals {
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
      // Secrets are not used as keys of a long-lived table.
      const key = sha256Hex(refreshToken)
      for (const entries of [renewed, ended, filled]) deleteExpired(entries, now())
      const known = renewed.get(key)
      if (known) return known.session
      return running(key, async () => {
        const { session } = await api.refreshSession({ refreshToken }, { ip, userAgent })
        // The user signed out during the renewal.
        if (hasEnded(session.id)) throw refreshTokenNotFound()
        renewed.set(key, { session, endsAt: now() + retentionMs })
        return session
      })
    },
    end: (sessionId) => {
      for (const [key, { session }] of renewed) if (session.id === sessionId) renewed.delete(key)
      ended.delete(sessionId)
      ended.set(sessionId, { endsAt: now() + endRetentionMs })
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
      filled.set(sessionId, { jars, endsAt: now() + endRetentionMs })
    },
  }
}

/** Sets the cookies; a host that has sent its response rejects them. */
function tryToSetAll(jar: CookieJar, changes: readonly CookieChange[]): void {
  try {
    setAll(jar, changes)
  } catch {
    // The browser has cookies of an ended session, which the next renewal removes.
  }
}

function deleteExpired(entries: Map<string, { endsAt: number }>, now: number): void {
  for (const [key, { endsAt }] of entries) {
    if (endsAt > now) return
    entries.delete(key)
  }
}

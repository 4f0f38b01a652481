import type { Auth } from '../create-auth.ts'
import type { Clock } from '../kit/clock.ts'
import { sha256Hex } from '../kit/digest.ts'
import { createSharedWork } from '../kit/shared-work.ts'
import { refreshTokenNotFound } from '../sessions/session-errors.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'

export interface Renewals {
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

/**
 * Renews a session once for all requests of this process that bring the same refresh token, be they at once or shortly
 * after one another. Other processes get the same successor from the database, for
 * `security.refreshTokens.reuseIntervalSeconds`: whichever answer a browser takes last, its cookies are good.
 *
 * What it remembers is forgotten with the next renewal after its time.
 */
export function createRenewals({ api }: Pick<Auth, 'api'>, clock: Clock): Renewals {
  const running = createSharedWork()
  // In the order of their ends.
  const renewed = new Map<string, { session: SessionTokens; endsAt: number }>()
  const ended = new Map<string, { endsAt: number }>()
  const endOfMemory = (): number => clock.now().getTime() + rememberedMs
  return {
    renew: async (refreshToken, { ip, userAgent }) => {
      // The secrets themselves are no keys of a table that lives on.
      const key = sha256Hex(refreshToken)
      const now = clock.now().getTime()
      forgetPast(renewed, now)
      forgetPast(ended, now)
      const known = renewed.get(key)
      if (known) return known.session
      return running(key, async () => {
        const { session } = await api.refreshSession({ refreshToken }, { ip, userAgent })
        // Somebody signed out while the answer was on its way.
        if (ended.has(session.id)) throw refreshTokenNotFound()
        renewed.set(key, { session, endsAt: endOfMemory() })
        return session
      })
    },
    end: (sessionId) => {
      for (const [key, { session }] of renewed) if (session.id === sessionId) renewed.delete(key)
      ended.delete(sessionId)
      ended.set(sessionId, { endsAt: endOfMemory() })
    },
  }
}

function forgetPast(entries: Map<string, { endsAt: number }>, now: number): void {
  for (const [key, { endsAt }] of entries) {
    if (endsAt > now) return
    entries.delete(key)
  }
}

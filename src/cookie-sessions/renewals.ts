import type { Auth } from '../create-auth.ts'
import type { Clock } from '../kit/clock.ts'
import { sha256Hex } from '../kit/digest.ts'
import { createSharedWork } from '../kit/shared-work.ts'
import type { SessionTokens } from '../sessions/session-tokens.ts'

/** Renews the session of a refresh token. */
export type Renew = (refreshToken: string, client: RenewingClient) => Promise<SessionTokens>

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
export function createRenewals({ api }: Pick<Auth, 'api'>, clock: Clock): Renew {
  const running = createSharedWork()
  // In the order of their ends.
  const renewed = new Map<string, { session: SessionTokens; endsAt: number }>()
  const forgetPast = (now: number): void => {
    for (const [key, { endsAt }] of renewed) {
      if (endsAt > now) return
      renewed.delete(key)
    }
  }
  return async (refreshToken, { ip, userAgent }) => {
    // The secrets themselves are no keys of a table that lives on.
    const key = sha256Hex(refreshToken)
    forgetPast(clock.now().getTime())
    const known = renewed.get(key)
    if (known) return known.session
    return running(key, async () => {
      const { session } = await api.refreshSession({ refreshToken }, { ip, userAgent })
      renewed.set(key, { session, endsAt: clock.now().getTime() + rememberedMs })
      return session
    })
  }
}

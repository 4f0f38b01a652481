import type { Clock } from '../../platform/kit/clock.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { IssuedClaims } from './issue-access-token.ts'

/** Observes the sizes of issued tokens. */
export interface TokenSizes {
  noteIssued(token: string, claims: IssuedClaims): void
}

/**
 * The size that causes a warning. Each request carries a token, and some proxies limit headers to 8
 * KiB.
 */
const warningBytes = 2048
const warnEveryMs = 60 * 60 * 1000

/** Warns of tokens larger than 2 KiB, once an hour, with the names of the largest claims. */
export function watchTokenSizes({ clock, logger }: { clock: Clock; logger: Logger }): TokenSizes {
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    noteIssued: (token, claims) => {
      const now = clock.now().getTime()
      if (token.length <= warningBytes || now - warnedAt < warnEveryMs) return
      warnedAt = now
      const fields = { user_id: claims.sub, bytes: token.length, largest: largestOf(claims) }
      logger.warn(fields, 'large access token issued; every request carries it')
    },
  }
}

/** Returns names and sizes only, since values may be personal. */
const largestOf = (claims: IssuedClaims): Record<string, number> =>
  Object.fromEntries(
    Object.entries(claims)
      .map(([name, value]): [string, number] => [name, JSON.stringify(value)?.length ?? 0])
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 3),
  )

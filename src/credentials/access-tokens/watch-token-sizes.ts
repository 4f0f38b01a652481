import type { Clock } from '../../platform/kit/clock.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { IssuedClaims } from './issue-access-token.ts'

/** Looks on while tokens are issued. */
export interface TokenSizes {
  noteIssued(token: string, claims: IssuedClaims): void
}

/** A token travels with each request, and some proxies take 8 KiB for a header. */
const worthTellingBytes = 2048
const toldEveryMs = 60 * 60 * 1000

/** Warns of tokens beyond 2 KiB, once an hour, and names what takes the room. */
export function watchTokenSizes({ clock, logger }: { clock: Clock; logger: Logger }): TokenSizes {
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    noteIssued: (token, claims) => {
      const now = clock.now().getTime()
      if (token.length <= worthTellingBytes || now - toldAt < toldEveryMs) return
      toldAt = now
      const fields = { user_id: claims.sub, bytes: token.length, largest: largestOf(claims) }
      logger.warn(fields, 'an access token is large, and travels with each request')
    },
  }
}

/** Names and sizes, since values may be personal. */
const largestOf = (claims: IssuedClaims): Record<string, number> =>
  Object.fromEntries(
    Object.entries(claims)
      .map(([name, value]): [string, number] => [name, JSON.stringify(value)?.length ?? 0])
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 3),
  )

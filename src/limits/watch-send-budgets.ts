import type { Clock } from '../platform/kit/clock.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { SendLimits } from './send-limits.ts'
import type { SpentRow } from './spend-send-limits.sql.ts'

/** Looks on while budgets of mails and SMS are spent. */
export interface SendBudgets {
  /**
   * @param client what limits per client are counted under; null where clients cannot be told apart.
   */
  noteSpent(
    kind: 'email' | 'sms',
    client: string | null,
    spent: Pick<SpentRow, 'budget_left'>,
    budget: SendLimits['budget'],
  ): void
}

interface Needs {
  clock: Clock
  logger: Logger
}

/** Who had messages sent since `startsAt`. */
interface Period {
  startsAt: number
  sentBy: Map<string | null, number>
  hasWarned: boolean
}

/** So much of a budget may be gone before somebody is told. */
const worthTelling = 0.8
/** Of more clients it is not noted how much they had sent. */
const maxClients = 10_000
/** So many of those who took most are named. */
const maxNamed = 3

/**
 * Warns when four fifths of a budget are gone, and names the clients that took most: addresses of IPv4,
 * networks of IPv6, or digests of what a declared header holds. Once in the time that the budget is for.
 *
 * Who took how much is counted in this process alone; how much is left, by all.
 */
export function watchSendBudgets({ clock, logger }: Needs): SendBudgets {
  const periods = new Map<string, Period>()
  const periodOf = (kind: string, seconds: number, now: number): Period => {
    const known = periods.get(kind)
    if (known && now < known.startsAt + seconds * 1000) return known
    const begun = { startsAt: now, sentBy: new Map(), hasWarned: false }
    periods.set(kind, begun)
    return begun
  }
  return {
    noteSpent: (kind, client, { budget_left: left }, budget) => {
      if (!budget || left === null) return
      const { count, perSeconds } = budget.rate
      const period = periodOf(kind, perSeconds, clock.now().getTime())
      const { sentBy } = period
      if (sentBy.has(client) || sentBy.size < maxClients) {
        sentBy.set(client, (sentBy.get(client) ?? 0) + 1)
      }
      const sent = Math.round(count - left)
      if (period.hasWarned || sent < count * worthTelling) return
      period.hasWarned = true
      const clients = [...sentBy]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, maxNamed)
        .map(([name, number]) => ({ client: name, sent: number }))
      logger.warn({ kind, sent, allowed: count, seconds: perSeconds, clients }, warning)
    },
  }
}

const warning =
  'most of the budget of messages is used up, and nothing more is sent soon: see docs/limits.md'

import type { Clock } from '../platform/kit/clock.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { SendLimits } from './send-limits.ts'
import type { SpentRow } from './spend-send-limits.sql.ts'

/** Observes the spending of the budgets of mails and SMS. */
export interface SendBudgets {
  /**
   * @param client the key that limits per client are counted under; null where clients cannot be
   *   distinguished.
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

/** The number of messages that each client requested since `startsAt`. */
interface Period {
  startsAt: number
  sentBy: Map<string | null, number>
  hasWarned: boolean
}

/** The part of a budget whose use causes a warning. */
const warnedShare = 0.8
/** The number of clients that are counted. */
const maxClients = 10_000
/** The number of clients that a warning names. */
const maxNamed = 3

/**
 * Warns when four fifths of a budget are used, and names the clients that used most: IPv4
 * addresses, IPv6 networks, or digests of a declared header's value. Warns once per period of the
 * budget.
 *
 * The messages of a client are counted in this process; the rest of the budget is that of all
 * instances.
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
      if (period.hasWarned || sent < count * warnedShare) return
      period.hasWarned = true
      const clients = [...sentBy]
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, maxNamed)
        .map(([name, number]) => ({ client: name, sent: number }))
      const setting = kind === 'sms' ? 'rateLimits.smsSent' : 'rateLimits.emailSent'
      logger.warn({ setting, sent, allowed: count, seconds: perSeconds, clients }, warning)
    },
  }
}

const warning =
  'most of the send budget is used: further messages will be rejected until it is refilled'

import { isOlder } from '../../platform/kit/clock.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { openSigningKey } from './managed-key-rows.ts'
import {
  isRotationDue,
  type RotationNeeds,
  type RotationPlan,
  rotateWhenDue,
} from './rotate-signing-keys.ts'
import { findSigningKeys, findStateOfSigningKeys, type SigningKeyRow } from './signing-keys.sql.ts'
import { jwkTokenKey, type TokenKey } from './token-key.ts'

/** The dependencies of the upkeep of managed keys. */
export interface ManagedKeysNeeds extends RotationNeeds {
  sql: Queryable
  logger: Logger
  /**
   * True where timers are unreliable because the process is frozen between requests. Keys are then
   * refreshed by age, before they sign.
   */
  isFrozen?: boolean
  /** How changes by other instances are announced. Default: `silently`. */
  announcements?: () => KeyAnnouncements
  /** Whether this process queries for changes at present. Default: true. */
  isPolling?: () => boolean
  /** Called when such a query has found changed keys. */
  changed?: () => void
}

/**
 * - `notified`: by notifications, which were received so far.
 * - `silently`: not at all, for example because a pooler does not pass on notifications.
 * - `none`: there are no other instances.
 */
export type KeyAnnouncements = keyof typeof pollMs

/** The ring of keys that Latchkey creates, kept up to date until it is stopped. */
export interface ManagedKeyRing extends KeyRing {
  /** Reloads the keys from the database. An error is logged. */
  reload(): void
  /** Rotates and reloads the keys if they were refreshed more than four seconds ago. */
  renewIfOld(): Promise<void>
  stop(): void
}

/**
 * The intervals at which the database is queried for changed keys. Changes take effect within five
 * seconds also where notifications are lost, and where there are none, in a second at the median.
 */
const pollMs = { notified: 4_000, silently: 1_500, none: 30_000 }

/** The minimum time between two reloads that tokens with an unknown `kid` cause. */
const reloadPauseMs = 5_000

interface DatedKey {
  key: TokenKey
  signsFrom: Date
}

/**
 * Opens the ring of managed keys and creates the first key if there is none.
 *
 * All instances agree on the keys: a key is published one overlap before it signs. Each instance
 * reloads more often than that, and at once for a token with an unknown key.
 */
export async function openManagedKeys(
  needs: ManagedKeysNeeds,
  plan: RotationPlan,
): Promise<ManagedKeyRing> {
  const { clock, encryption, isFrozen = false, logger, sql } = needs
  const { announcements = () => 'silently' as const, isPolling = () => true, changed } = needs
  const read = (rows: SigningKeyRow[]): DatedKey[] =>
    rows.map((row) => ({
      key: jwkTokenKey(openSigningKey(encryption, row)),
      signsFrom: new Date(row.signs_from),
    }))

  let lookedAt = clock.now()
  let stored = await rotateWhenDue(needs, plan)
  let keys = read(stored)
  let state: string | null = null
  let isFailing = false
  let isStopped = false
  let renewing: Promise<void> | undefined
  let reloadedAt = -Infinity
  let reloading: Promise<boolean> | undefined

  let begun = 0
  let applied = 0
  /**
   * Replaces the keys by those that were found, unless a later query has been faster. Equal keys
   * are kept, and with them the tokens that they have verified.
   */
  const replace = async (find: () => Promise<SigningKeyRow[]>): Promise<void> => {
    begun += 1
    const turn = begun
    const found = await find()
    const next = read(found)
    if (turn < applied) return
    applied = turn
    if (areEqual(found, stored)) return
    keys = next
    stored = found
  }
  const reload = async (): Promise<boolean> => {
    await replace(() => findSigningKeys(sql))
    return true
  }
  const tick = async (): Promise<void> => {
    const now = clock.now()
    const isDue = isRotationDue(stored, plan, now)
    const found = await findStateOfSigningKeys(sql)
    const before = keys
    if (isDue || found !== state) await replace(() => rotateWhenDue(needs, plan))
    state = found
    lookedAt = now
    if (keys !== before) changed?.()
  }
  const renewIfOld = async (): Promise<void> => {
    if (!isOlder(lookedAt, pollMs.notified, clock.now())) return
    renewing ??= tick().finally(() => {
      renewing = undefined
    })
    await renewing
  }
  const logged = async (loading: Promise<unknown>): Promise<void> => {
    try {
      await loading
      isFailing = false
    } catch (error) {
      // The database is queried every few seconds, also while it is unavailable.
      if (!isFailing) logger.warn({ fault: describeFault(error) }, 'keys were not reloaded')
      isFailing = true
    }
  }
  let timer: NodeJS.Timeout | undefined
  const pollLater = (): void => {
    if (isStopped || isFrozen) return
    const poll = async () => {
      if (isPolling()) await logged(tick())
      pollLater()
    }
    timer = setTimeout(() => void poll(), pollMs[announcements()]).unref()
  }
  pollLater()

  let made: { from: DatedKey[]; signer: DatedKey; ring: KeyRing } | undefined
  /** Returns the current ring: the newest key whose start time has passed signs. */
  const ring = (): KeyRing => {
    const now = clock.now()
    const signer = keys.find(({ signsFrom }) => signsFrom <= now) ?? keys.at(-1)
    if (!signer) throw new Error('there is no signing key')
    if (made?.from !== keys || made.signer !== signer) {
      const all = keys.map(({ key }) => key)
      made = { from: keys, signer, ring: createKeyRing(all, signer.key) }
    }
    return made.ring
  }

  return {
    sign: async (claims, type) => {
      // Another instance may have retired the key while this process was frozen.
      if (isFrozen) await renewIfOld()
      return ring().sign(claims, type)
    },
    algorithm: () => ring().algorithm(),
    findForVerification: (kid, alg) => ring().findForVerification(kid, alg),
    published: () => ring().published(),
    memory: () => ring().memory(),
    refresh: async () => {
      if (performance.now() - reloadedAt < reloadPauseMs) return reloading ?? false
      reloadedAt = performance.now()
      reloading = reload()
      return reloading
    },
    requireReadable: async () => {
      await reload()
    },
    reload: () => void logged(reload()),
    renewIfOld,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

const areEqual = (some: readonly SigningKeyRow[], others: readonly SigningKeyRow[]): boolean =>
  timesOf(some) === timesOf(others)

const timesOf = (rows: readonly SigningKeyRow[]): string =>
  JSON.stringify(rows.map(({ id, signs_from: signsFrom }) => [id, signsFrom]))

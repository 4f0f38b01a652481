import { isOlder } from '../../platform/kit/clock.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { openSigningKey } from './managed-key-rows.ts'
import { type RotationNeeds, type RotationPlan, rotateWhenDue } from './rotate-signing-keys.ts'
import { findSigningKeys, type SigningKeyRow } from './signing-keys.sql.ts'
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
}

/** The ring of keys that Latchkey creates, kept up to date until it is stopped. */
export interface ManagedKeyRing extends KeyRing {
  /** Reloads the keys from the database. An error is logged. */
  reload(): void
  /** Rotates and reloads the keys if they were refreshed more than 30 seconds ago. */
  renewIfOld(): Promise<void>
  stop(): void
}

/** The interval at which keys of other instances are read from the database. */
const pollMs = 30_000

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
  const read = (rows: SigningKeyRow[]): DatedKey[] =>
    rows.map((row) => ({
      key: jwkTokenKey(openSigningKey(encryption, row)),
      signsFrom: new Date(row.signs_from),
    }))

  let lookedAt = clock.now()
  let keys = read(await rotateWhenDue(needs, plan))
  let renewing: Promise<void> | undefined
  let reloadedAt = -Infinity
  let reloading: Promise<boolean> | undefined

  const reload = async (): Promise<boolean> => {
    keys = read(await findSigningKeys(sql))
    return true
  }
  const tick = async (): Promise<void> => {
    const now = clock.now()
    keys = read(await rotateWhenDue(needs, plan))
    lookedAt = now
  }
  const renewIfOld = async (): Promise<void> => {
    if (!isOlder(lookedAt, pollMs, clock.now())) return
    renewing ??= tick().finally(() => {
      renewing = undefined
    })
    await renewing
  }
  const logged = (loading: Promise<unknown>): void =>
    void loading.catch((error) =>
      logger.warn({ fault: describeFault(error) }, 'keys were not reloaded'),
    )
  const timer = isFrozen ? null : setInterval(() => logged(tick()), pollMs).unref()

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
    sign: async (claims) => {
      // Another instance may have retired the key while this process was frozen.
      if (isFrozen) await renewIfOld()
      return ring().sign(claims)
    },
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
    reload: () => logged(reload()),
    renewIfOld,
    stop: () => {
      if (timer) clearInterval(timer)
    },
  }
}

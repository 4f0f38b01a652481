import { isOlder } from '../../platform/kit/clock.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { openSigningKey } from './managed-key-rows.ts'
import { type RotationNeeds, type RotationPlan, rotateWhenDue } from './rotate-signing-keys.ts'
import { findSigningKeys, type SigningKeyRow } from './signing-keys.sql.ts'
import { jwkTokenKey, type TokenKey } from './token-key.ts'

/** What the upkeep of managed keys takes. */
export interface ManagedKeysNeeds extends RotationNeeds {
  sql: Queryable
  logger: Logger
  /** Whether no timer may be relied on: keys are then looked at before they sign, by their age. */
  isFrozen?: boolean
}

/** The ring of keys that Latchkey makes itself, kept up to date until it is stopped. */
export interface ManagedKeyRing extends KeyRing {
  /** Asks the database for what others changed. What fails is logged. */
  reload(): void
  /** Does what is due with keys that were last looked at more than 30 seconds ago. */
  renewIfOld(): Promise<void>
  stop(): void
}

/** How often the database is asked for keys that another instance made. */
const pollMs = 30_000

/** At most this often, a token with an unknown `kid` makes us ask at once. */
const reloadPauseMs = 5_000

interface DatedKey {
  key: TokenKey
  signsFrom: Date
}

/**
 * Opens the ring of managed keys, making the first key where there is none.
 *
 * All instances agree: a key is published one overlap before it signs, each instance looks for new
 * keys more often than that, and a token with an unknown key makes it look at once.
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
  /** The ring at this moment: the newest key whose time has come signs. */
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
      // Others may have retired the key while nothing ran here.
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

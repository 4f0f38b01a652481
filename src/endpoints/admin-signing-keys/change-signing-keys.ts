import { recordAlone } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { keyEncryption, rotationPlan } from '../../credentials/access-tokens/open-key-ring.ts'
import {
  type RotationNeeds,
  retireNow,
  rotateNow,
} from '../../credentials/access-tokens/rotate-signing-keys.ts'

/** Publishes a new signing key now, which signs one overlap later. The audit log contains it. */
export const rotateSigningKey = (ctx: AuthContext, { role: actorRole }: Admin): Promise<void> =>
  ctx.transaction(async (tx) => {
    await rotateNow(needsOf(tx), rotationPlan(tx.config.jwt))
    await recordAlone(tx, { action: 'signing_key_rotated', actorRole })
  })

/**
 * Retires a signing key, so that its tokens are no longer accepted. The audit log contains it.
 *
 * @returns whether the key was retired, or the reason why not.
 */
export const retireSigningKey = (
  ctx: AuthContext,
  { role: actorRole }: Admin,
  id: string,
): Promise<'retired' | 'unknown' | 'signs alone'> =>
  ctx.transaction(async (tx) => {
    const outcome = await retireNow(needsOf(tx), id)
    if (outcome === 'retired') {
      await recordAlone(tx, { action: 'signing_key_retired', actorRole, traits: { key_id: id } })
    }
    return outcome
  })

/** The statements run in the transaction of the caller. */
const needsOf = ({ clock, random, config, sql }: AuthContext): RotationNeeds => ({
  clock,
  random,
  encryption: keyEncryption(config.encryptionKeys),
  transaction: (work) => work({ sql }),
})

import { hasVerifiedFactor } from '../users/user.ts'
import type { Caller } from './authenticate-caller.ts'

/**
 * Whether a caller has shown a second factor. Session and token both have to say so: a token from before
 * the proof stays as weak as it was, and so does a session whose factor is gone.
 */
export const hasShownSecondFactor = ({ session, claims }: Caller): boolean =>
  session?.aal === 'aal2' && claims.aal === 'aal2'

/** Whether a caller has a second factor and has not shown it. */
export const needsStepUp = (caller: Caller): boolean =>
  hasVerifiedFactor(caller.user) && !hasShownSecondFactor(caller)

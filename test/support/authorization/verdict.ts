import { type Assurance, type CallerCase, type Fate, proofs } from './callers.ts'
import type { Demand, StatusAndCode } from './entry-points.ts'

/**
 * Returns the error of an endpoint for a caller; null for a permitted one. The rule depends on the
 * stored state, not on the content of the token.
 */
export function verdict(demand: Demand, caller: CallerCase): StatusAndCode | null {
  if (demand.of === 'anybody') return null
  return ended[caller.fate] ?? (demand.of === 'operators' ? ofOperators : ofPeople(demand))(caller)
}

/** The errors for a deleted or banned user, and for an ended session, at every endpoint. */
const ended: Partial<Record<Fate, StatusAndCode>> = {
  'signed out': [403, 'session_not_found'],
  revoked: [403, 'session_not_found'],
  'past its end': [403, 'session_expired'],
  banned: [403, 'user_banned'],
  'softly deleted': [403, 'user_not_found'],
  deleted: [403, 'user_not_found'],
}

function ofOperators({ proof, roleThen, roleNow }: CallerCase): StatusAndCode | null {
  if (roleNow !== 'operator') return [403, 'not_admin']
  // A token made by hand may have a lower role than the user.
  if (proofs[proof].session === null && roleThen !== 'operator') return [403, 'not_admin']
  return lacksFactor(proof) ? [403, 'insufficient_aal'] : null
}

const ofPeople =
  ({ session, factor, acceptsDevice }: Extract<Demand, { of: 'people' }>) =>
  ({ proof }: CallerCase): StatusAndCode | null => {
    if (session && proofs[proof].session === null) return [403, 'session_not_found']
    return factor && lacksFactor(proof, acceptsDevice) ? [factor, 'insufficient_aal'] : null
  }

/**
 * Returns whether a verified factor is missing: both session and token need it, by more than a
 * trusted device unless that is accepted.
 */
function lacksFactor(proof: CallerCase['proof'], acceptsDevice = false): boolean {
  const { hasFactor, session, token, isByDevice = false }: Assurance = proofs[proof]
  return hasFactor && ((isByDevice && !acceptsDevice) || session !== 'aal2' || token !== 'aal2')
}

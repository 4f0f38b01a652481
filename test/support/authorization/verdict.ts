import { type Caller, type Fate, type Proof, proofs } from './callers.ts'
import type { Demand, Refusal } from './doors.ts'

/**
 * The rule, which is about what is stored now and not about what the token says: what a door answers to a
 * caller whom it does not let in; null for one whom it lets in.
 */
export function verdict(demand: Demand, caller: Caller): Refusal | null {
  if (demand.of === 'anybody') return null
  return ended[caller.fate] ?? (demand.of === 'operators' ? ofOperators : ofPeople(demand))(caller)
}

/** Who is nobody any more, or on a session that ended, gets in nowhere. */
const ended: Partial<Record<Fate, Refusal>> = {
  'signed out': [403, 'session_not_found'],
  revoked: [403, 'session_not_found'],
  'past its end': [403, 'session_expired'],
  banned: [403, 'user_banned'],
  'softly deleted': [403, 'user_not_found'],
  deleted: [403, 'user_not_found'],
}

function ofOperators({ proof, roleThen, roleNow }: Caller): Refusal | null {
  if (roleNow !== 'operator') return [403, 'not_admin']
  // Made by hand: it may say less than the user's role.
  if (proofs[proof].session === null && roleThen !== 'operator') return [403, 'not_admin']
  return lacksFactor(proof) ? [403, 'insufficient_aal'] : null
}

const ofPeople =
  ({ session, factor }: Extract<Demand, { of: 'people' }>) =>
  ({ proof }: Caller): Refusal | null => {
    if (session && proofs[proof].session === null) return [403, 'session_not_found']
    return factor && lacksFactor(proof) ? [factor, 'insufficient_aal'] : null
  }

/** Whoever has a factor has shown it where both session and token say so, and by more than a trusted device. */
function lacksFactor(proof: Caller['proof']): boolean {
  const { hasFactor, session, token, isByDevice = false }: Proof = proofs[proof]
  return hasFactor && (isByDevice || session !== 'aal2' || token !== 'aal2')
}

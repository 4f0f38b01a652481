import type { Factor } from '../../users/user.ts'

/** A challenge to prove a factor. */
export interface FactorChallenge extends Pick<Factor, 'factorType'> {
  id: string
  /** When it has to be answered by. */
  expiresAt: Date
}

import { availableParallelism } from 'node:os'

/**
 * The number of hashes that Latchkey computes at once: see `hashingWidth` in
 * src/service/runtime.ts.
 */
export const gateWidth = Math.max(1, Math.min(availableParallelism(), 3))

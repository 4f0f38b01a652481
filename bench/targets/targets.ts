import { floor } from '../floor/target.ts'
import { betterAuth, betterAuthWithArgon2 } from './better-auth/target.ts'
import { latchkey } from './latchkey/target.ts'
import type { Target } from './target.ts'

/** All targets, in the order of the tables. */
export const targets: readonly Target[] = [latchkey, floor, betterAuth, betterAuthWithArgon2]

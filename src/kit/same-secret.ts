import { timingSafeEqual } from 'node:crypto'
import { sha256 } from './digest.ts'

/** Whether two secrets are the same, in a time that tells neither content nor length of either. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other))

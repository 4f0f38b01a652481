import type { Compute } from '../compute.ts'

/** A way of hashing passwords that can be checked here. */
export interface HashScheme {
  /** Whether a stored hash is of this scheme, in a form and at a cost that is checked here. */
  accepts(passwordHash: string): boolean
  /** What of a stored hash decides how long it takes to check: the algorithm and its cost. */
  kindOf(passwordHash: string): string
  /** Whether the password is the one behind a hash that {@link accepts} lets through. */
  verify(compute: Compute, passwordHash: string, password: string): Promise<boolean>
}

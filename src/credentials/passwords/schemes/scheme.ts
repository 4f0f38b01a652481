import type { Compute } from '../compute.ts'

/** A hash algorithm whose hashes can be verified. */
export interface HashScheme {
  /**
   * Returns whether a stored hash is of this scheme, in a supported form and at an accepted cost.
   */
  accepts(passwordHash: string): boolean
  /**
   * Returns the part of a stored hash that determines the time of verification: algorithm and cost.
   */
  kindOf(passwordHash: string): string
  /**
   * Returns whether a verification takes about a second or longer, so that it must not delay the
   * others. Default: never.
   */
  isCostly?(passwordHash: string): boolean
  /** Returns whether the password matches a hash that {@link accepts} accepted. */
  verify(compute: Compute, passwordHash: string, password: string): Promise<boolean>
}

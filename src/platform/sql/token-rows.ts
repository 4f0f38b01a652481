import type { Rows } from './tables.ts'

/**
 * Rows of one-time tokens, each with a member `request` beside its columns: the requested address
 * and the requester. Statements that insert tokens accept no other rows, and record the competition
 * in the same statement. Only `accounts/addresses/token-message.ts` creates them, from addresses
 * that `accounts/addresses/request-address.ts` returned.
 */
export type TokenRows = Rows<'one_time_tokens'> & { readonly '~requested': true }

/** The member `request` of a row: the address by its kind. */
export interface RequestMember {
  email?: string
  phone?: string
  /** The client; null where it cannot be identified. */
  from: string | null
}

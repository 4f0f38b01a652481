/**
 * The state of a request. `pushed`: the client sent it and has not redirected the browser yet.
 * `pending`: it waits for the user. `approved`: it has a code. `used`: the code was exchanged.
 */
export type AuthorizationStatus = 'pushed' | 'pending' | 'approved' | 'used' | 'denied'

/** The parameters of a request that were checked, as stored. Absent members were not requested. */
export interface AuthorizationRequest {
  redirect_uri: string
  scope: string
  /** Absent for a device, which has no browser that the code could be taken from. */
  code_challenge?: string
  state?: string
  nonce?: string
  resource?: string
  prompt?: string[]
  max_age?: number
  /** The address that the consent page enters into its form. */
  login_hint?: string
  ui_locales?: string
  /** The user of `id_token_hint`. */
  hinted_user?: string
  /** The thumbprint of the key that the tokens are bound to. @see RFC 9449 §10 */
  dpop_jkt?: string
  /**
   * The seconds that a device has to wait between its requests. Present for devices only.
   *
   * @see RFC 8628 §3.2
   */
  interval?: number
}

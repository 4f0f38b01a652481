/** A device on which the second factor is not required, without its secret. */
export interface TrustedDevice {
  id: string
  /** The user agent that the device sent when it was trusted. */
  userAgent: string | null
  createdAt: Date
  /**
   * The time of its last use in place of a second factor; at first, the time at which it was
   * trusted.
   */
  lastUsedAt: Date
  expiresAt: Date
}

/** A newly trusted device. */
export interface NewTrustedDevice extends TrustedDevice {
  /**
   * The secret that the device submits in place of a second factor. It is valid once: each use
   * returns the next one.
   */
  secret: string
}

export interface VerifyTrustedDeviceInput {
  accessToken: string
  /** The secret from the trust request or from the last use. */
  secret: string
}

/** A trusted device of the signed-in user. */
export interface TrustedDeviceInput {
  accessToken: string
  deviceId: string
}

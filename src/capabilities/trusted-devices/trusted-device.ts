/** A device on which its user need not show a second factor, without its secret. */
export interface TrustedDevice {
  id: string
  /** What the browser or app said it was when it was trusted. */
  userAgent: string | null
  createdAt: Date
  /** When it last stood for a second factor; at first, when it was trusted. */
  lastUsedAt: Date
  expiresAt: Date
}

/** A device that is trusted from now on. */
export interface NewTrustedDevice extends TrustedDevice {
  /** What the device shows in place of a second factor, once: each use hands out another one. */
  secret: string
}

export interface VerifyTrustedDeviceInput {
  accessToken: string
  /** What the device was given when it was trusted, or at its last use. */
  secret: string
}

/** A trusted device of the signed-in user. */
export interface TrustedDeviceInput {
  accessToken: string
  deviceId: string
}

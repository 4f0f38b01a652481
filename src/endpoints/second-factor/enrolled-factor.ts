import type { Factor } from '../../accounts/users/user.ts'

/** The secret of an authenticator app. It is shown once. */
export interface TotpEnrollment {
  /** An SVG document with the URI as a QR code. */
  qrCode: string
  /** The secret in base32, for typing. */
  secret: string
  /** `otpauth://totp/…` */
  uri: string
}

/** A factor that is not verified yet. */
export interface EnrolledFactor
  extends Pick<Factor, 'id' | 'factorType' | 'friendlyName' | 'phone'> {
  /** Null for a phone or a security key. */
  totp: TotpEnrollment | null
}

import type { Factor } from '../../accounts/users/user.ts'

/** What an authenticator app needs to make codes. It is shown once. */
export interface TotpEnrollment {
  /** An SVG document: the URI, to be scanned. */
  qrCode: string
  /** In base32, to be typed. */
  secret: string
  /** `otpauth://totp/…` */
  uri: string
}

/** A factor that was begun. */
export interface EnrolledFactor
  extends Pick<Factor, 'id' | 'factorType' | 'friendlyName' | 'phone'> {
  /** Null for a phone or a security key. */
  totp: TotpEnrollment | null
}

import type { Config } from '../../config/config.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { enrollNotEnabled } from '../../factors/factor-errors.ts'
import type { Unread } from '../../http/endpoint.ts'
import { requireShort } from '../../kit/storable-text.ts'
import { readPhone } from '../../users/addresses.ts'
import type { ChallengedFactorType } from '../../users/user.ts'
import type { EnrollFactorInput } from './second-factor.endpoint.ts'

/** An enrollment that is in order. */
export interface Enrollment {
  factorType: ChallengedFactorType
  friendlyName: string | null
  issuer: string
  phone: string | null
}

/** In the spelling of a URL. It is there twice, and a QR code of this kind holds 1,273 bytes. */
const maxIssuerLength = 200

/** Checks an enrollment, in the order in which the wire promises its errors. */
export function readEnrollment(config: Config, input: Unread<EnrollFactorInput>): Enrollment {
  const factorType = readType(input.factorType)
  if (!isEnabled(config, factorType)) throw enrollNotEnabled(factorType)
  const phone = factorType === 'phone' ? readOwnPhone(input.phone) : null
  const { friendlyName = '' } = input
  requireShort(friendlyName, 'friendly_name')
  const issuer = readIssuer(config, input.issuer)
  return { factorType, friendlyName: friendlyName || null, issuer, phone }
}

const types: readonly ChallengedFactorType[] = ['totp', 'phone', 'webauthn']

function readType(text: string | undefined): ChallengedFactorType {
  const type = types.find((one) => one === text)
  if (type) return type
  throw validationFailed('factor_type: factor_type needs to be totp, phone, or webauthn')
}

const isEnabled = ({ mfa }: Config, type: ChallengedFactorType): boolean =>
  type === 'webauthn' ? mfa.webAuthn.enrollEnabled : mfa[type].enrollEnabled

function readOwnPhone(phone: string | undefined): string {
  if (!phone) throw validationFailed('phone: Phone number required to enroll Phone factor')
  return readPhone(phone).value
}

function readIssuer(config: Config, given: string | undefined): string {
  if (!given) return siteHost(config).slice(0, maxIssuerLength)
  if (encodeURIComponent(given).length <= maxIssuerLength) return given
  throw validationFailed('issuer: is too long')
}

const siteHost = ({ siteUrl }: Config): string => URL.parse(siteUrl)?.host || siteUrl

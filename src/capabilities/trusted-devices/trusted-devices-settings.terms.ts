import { boolean } from '../../platform/config/parsers/choices.ts'
import { seconds } from '../../platform/config/parsers/numbers.ts'
import { live } from '../../platform/config/setting.ts'

export const mfaSettings = [
  live('mfa.trustedDevices.enabled', {
    env: 'MFA_TRUSTED_DEVICES_ENABLED',
    parser: boolean,
    default: false,
    description:
      'Trusted devices, on which the second factor is not required until the trust expires.',
  }),
  live('mfa.trustedDevices.expirySeconds', {
    env: 'MFA_TRUSTED_DEVICES_EXPIRY_DURATION',
    parser: seconds({ min: 60, max: 34_560_000 }),
    default: 2_592_000,
    bounds: {
      unit: 'seconds',
      unusual: 7_776_000,
      ceiling: 34_560_000,
      source: 'NIST SP 800-63B §4.1.3',
    },
    description:
      'How long a device is trusted: a minute to 400 days, the maximum lifetime of cookies in browsers.',
  }),
] as const

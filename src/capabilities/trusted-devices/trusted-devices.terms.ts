import type { Seconds } from '../../platform/config/sections/values.ts'
import type { ErrorMeaning } from '../../platform/errors/error-meaning.ts'
import type { MailDefinition } from '../../platform/mails/mail-definition.ts'
import { trustedDeviceAdded } from './trusted-device-added.terms.ts'

/** @internal */
export const tables = ['trusted_devices']

/** The settings below `mfa`. */
export interface TrustedDevicesMfaSection {
  /** Trusted devices, on which the second factor is not required until the trust expires. */
  trustedDevices?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        /** 60 to 34,560,000 (400 days). Default 2,592,000 (30 days). */
        expirySeconds?: Seconds | undefined
      }
    | undefined
}

export interface ResolvedTrustedDevicesMfaSection {
  trustedDevices: { enabled: boolean; expirySeconds: number }
}

export const errorCodes = ['trusted_device_not_found', 'trusted_devices_disabled'] as const

/** @internal */
export const errorMeanings: Readonly<Record<(typeof errorCodes)[number], ErrorMeaning>> = {
  trusted_device_not_found: {
    topic: 'Second factors',
    statuses: [404],
    means:
      'The device is not trusted, or no longer: the trust expired or was removed, or its secret was used before.',
    client: 'Prompt for the second factor.',
  },
  trusted_devices_disabled: {
    topic: 'Second factors',
    statuses: [404],
    means: 'Devices cannot be trusted.',
    client: 'Do not offer it. `GET /settings` shows the enabled features.',
    operator: 'Set `AUTH_MFA_TRUSTED_DEVICES_ENABLED=true` to enable it.',
  },
}

export const auditActions = {
  trusted_device_added: { number: 40, logType: 'factor', recordedWhen: 'A user trusted a device.' },
  trusted_device_used: {
    number: 41,
    logType: 'factor',
    recordedWhen: 'A trusted device raised a session to `aal2`.',
  },
  trusted_device_removed: {
    number: 42,
    logType: 'factor',
    recordedWhen: 'The trust in a device was revoked.',
  },
} as const

export interface TrustedDevicesEvents {
  'trusted_device.added': { device_id: string }
  /**
   * `device_id` is null where a previous secret of the device was used, possibly by an attacker
   * with a copy.
   */
  'trusted_device.removed': { device_id: string | null }
}

export type TrustedDevicesMail = 'trustedDeviceAdded'

/** @internal */
export const notificationMails: Readonly<Record<TrustedDevicesMail, MailDefinition>> = {
  trustedDeviceAdded,
}

export interface TrustedDevicesExport {
  /** Devices on which the second factor is not required. */
  trustedDevices: ExportedTrustedDevice[]
}

export interface ExportedTrustedDevice {
  id: string
  userId: string
  userAgent: string | null
  createdAt: string
  lastUsedAt: string
  expiresAt: string
}

/** A trusted device replaces a factor that was used on it before. */
export const factorSubstitute = 'trusted_device'

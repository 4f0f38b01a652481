import type { AuthErrorCode } from '../errors/auth-error.ts'

/** What may keep a message from being sent, and is told. */
export const messageErrors = [
  'email_address_not_authorized',
  'over_email_send_rate_limit',
  'over_sms_send_rate_limit',
  'sms_send_failed',
] as const satisfies AuthErrorCode[]

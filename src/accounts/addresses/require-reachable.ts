import { isAllowedDestination } from '../../delivery/sms/open-sms-carrier.ts'
import { findTestCode } from '../../delivery/sms/sms.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { type ProviderPurpose, providerDisabled } from './provider-errors.ts'

/**
 * Rejects email or phone where the configuration disables it.
 *
 * @throws AuthError `email_provider_disabled`, `phone_provider_disabled` (400 or 422, by purpose).
 */
export function requireProvider(
  { config }: Pick<AuthContext, 'config'>,
  kind: Address['kind'],
  purpose: ProviderPurpose,
): void {
  if (!config[kind].enabled) throw providerDisabled(kind, purpose)
}

/**
 * Rejects an address that no message can go to, before any write: one that the operator does not
 * serve, or a phone number while there is no carrier for it.
 *
 * @throws AuthError `email_address_not_authorized` (400), `sms_send_failed` (422).
 */
export function requireReachable(ctx: AuthContext, { kind, value }: Address): void {
  if (kind === 'email') requireAuthorized(ctx.config.email.authorizedAddresses, value)
  else requirePhone(ctx, value)
}

function requireAuthorized(authorized: readonly string[], email: string): void {
  const mailbox = email.replace(/\+[^@]*@/, '@')
  const known = authorized.map((one) => one.toLowerCase())
  if (known.length === 0 || known.includes(mailbox) || known.includes(email)) return
  throw new AuthError(
    'email_address_not_authorized',
    400,
    'email: this address cannot be used as it is not authorized',
  )
}

function requirePhone(ctx: AuthContext, phone: string): void {
  if (findTestCode(ctx.config.sms, phone, ctx.clock.now()) === null) requireCarrier(ctx, phone)
}

/**
 * Rejects a phone number that no message can go to, including test numbers.
 *
 * @throws AuthError `sms_send_failed` (422).
 */
export function requireCarrier({ config, carriers }: AuthContext, phone: string): void {
  if (!isAllowedDestination(config.sms, phone)) {
    throw new AuthError('sms_send_failed', 422, 'phone: no messages are sent to this country')
  }
  const carrier = config.hooks.sendSms.enabled ? carriers.sms_hook : carriers.sms
  if (!carrier) throw new AuthError('sms_send_failed', 422, 'phone: no messages can be sent')
}

/**
 * Rejects an email address that fails the configured checks. It runs before users are looked up, so
 * that neither the response nor its time reveals an account.
 *
 * @throws AuthError `email_address_invalid` (400), for every reason: the reason would help to evade
 *   the check.
 */
export async function requireDeliverable(
  { isDeliverable }: AuthContext,
  { kind, value }: Address,
): Promise<void> {
  if (kind !== 'email' || !isDeliverable || (await isDeliverable(value))) return
  throw new AuthError('email_address_invalid', 400, 'email: Email address is invalid')
}

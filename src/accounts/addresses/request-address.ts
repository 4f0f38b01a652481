import { requesterOf } from '../../limits/requester-of.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import type { AddressRequest, AddressRequestKind } from '../users/sign-up-origin.ts'

declare const requested: unique symbol

/**
 * An address with the request for it. Only {@link requestAddress} returns one, and no token message
 * to an address is composed or stored without it.
 */
export interface RequestedAddress extends Address, AddressRequest {
  readonly [requested]: true
}

/**
 * Requests an address for a message with a link or code. Every endpoint does so only through this
 * function.
 *
 * The statement that stores the message also records the request in the row of the account that
 * holds the address unconfirmed. Requests of different clients compete there, and a proof then
 * keeps nothing from any of them.
 *
 * @param by the kind of request.
 * @param from the requester, where it is not the client of this HTTP request.
 * @see signUpOriginAfter in users/sign-up-origin.ts, the rule
 */
export const requestAddress = (
  ctx: Pick<AuthContext, 'request' | 'config'>,
  { kind, value }: Address,
  by: AddressRequestKind,
  from: AddressRequest['from'] = requesterOf(ctx),
): RequestedAddress => ({ kind, value, by, from }) as RequestedAddress

import type { Address } from './addresses.ts'
import type { AddressRequest } from './registration.ts'

declare const requested: unique symbol

/**
 * An address with the request for it. Only `requestAddress` of
 * `accounts/addresses/request-address.ts` returns one, and no token message to an address is
 * composed or stored without it.
 */
export interface RequestedAddress extends Address, AddressRequest {
  readonly [requested]: true
}

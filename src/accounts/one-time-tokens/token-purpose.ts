import type { Address } from '../users/addresses.ts'
import type { OneTimeTokenPurpose } from './one-time-token.entity.ts'

const changedKinds: Readonly<Record<OneTimeTokenPurpose, Address['kind'] | null>> = {
  confirmation: null,
  recovery: null,
  email_change_new: 'email',
  email_change_current: 'email',
  phone_change: 'phone',
  reauthentication: null,
  credential: null,
}

/** Returns the kind of address that a token changes; null where the account keeps its addresses. */
export const changedKindOf = ({
  purpose,
}: {
  purpose: OneTimeTokenPurpose
}): Address['kind'] | null => changedKinds[purpose]

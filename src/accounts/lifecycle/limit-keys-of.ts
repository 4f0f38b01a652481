import { guessKeys } from '../../limits/count-guess.ts'
import { attemptKeys } from '../../limits/count-password-attempt.ts'
import { factorCodeKey, guessShareKeys, recoveryCodeKey } from '../../limits/factor-limits.ts'
import { requesterIn } from '../../limits/requester-of.ts'
import { intervalKeys } from '../../limits/send-limits.ts'
import { userCodeKey } from '../../limits/user-code-limit.ts'
import { clientNetwork } from '../../platform/kit/client-networks.ts'
import { readIpAddress } from '../../platform/kit/ip-address.ts'
import {
  atCarrier,
  codeAttemptsKey,
  ownAtCarrier,
} from '../one-time-tokens/count-code-attempt.sql.ts'
import { userAttemptKey } from '../users/user-attempt-key.ts'
import { usernameKey } from '../users/username.ts'

/** The values that limits identify a user by. */
export interface LimitedUser {
  id: string
  audience: string
  emails: readonly string[]
  phones: readonly string[]
  usernames: readonly string[]
  /** The addresses from which the sessions were last used. */
  ips: readonly string[]
}

/**
 * Returns the keys that messages to the user, and attempts at passwords and codes, are counted
 * under. Limits per client are not included: they do not identify users.
 */
export function limitKeysOf(user: LimitedUser): string[] {
  const { id, audience, emails, phones, usernames, ips } = user
  const networks = ips.flatMap((ip) => readIpAddress(ip) ?? []).map(clientNetwork)
  const requesters = networks.map(requesterIn)
  const addresses = [
    ...emails.map((value) => ({ kind: 'email', value })),
    ...phones.map((value) => ({ kind: 'phone', value })),
    ...usernames.map((name) => ({ kind: 'username', value: usernameKey(name) })),
    // A user without an address is counted by id, and so are codes of second factors.
    { kind: 'id', value: id },
  ]
  const keys = addresses.flatMap((address) => [
    ...intervalKeys(address.value, networks),
    ...guessKeys(audience, address.value),
    ...[null, 'session', atCarrier, ...requesters, ...requesters.map(ownAtCarrier)].map(
      (triedFrom) => codeAttemptsKey(audience, address.value, triedFrom),
    ),
    ...[null, ...networks].flatMap((network) => [
      ...Object.values(attemptKeys(audience, address, network)),
      userAttemptKey(id, address.kind, network),
    ]),
  ])
  const codes = [factorCodeKey(id), recoveryCodeKey(id)].flatMap((key) => [
    key,
    ...networks.flatMap((network) => guessShareKeys(key, network)),
  ])
  return [
    ...new Set([...keys, ...codes, userCodeKey(id)]),
    ...codes.flatMap((key) => guessKeys(audience, key)),
  ]
}

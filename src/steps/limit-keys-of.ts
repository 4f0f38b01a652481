import { clientNetwork, readIpAddress } from '../kit/ip-address.ts'
import {
  factorCodeKey,
  factorIntervalKey,
  guessShareKey,
  recoveryCodeKey,
} from '../limits/factor-limits.ts'
import { attemptKeys, userAttemptKey } from '../limits/password-attempts.ts'
import { intervalKeys } from '../limits/send-limits.ts'
import {
  atCarrier,
  codeAttemptsKey,
  ownAtCarrier,
} from '../one-time-tokens/count-code-attempt.sql.ts'
import { guessKeys } from './count-guess.ts'
import { requesterIn } from './requester-of.ts'

/** What limits know a person by. */
export interface LimitedPerson {
  id: string
  audience: string
  emails: readonly string[]
  phones: readonly string[]
  /** Where sessions were last used from. */
  ips: readonly string[]
}

/** Under what the person's messages, passwords and codes are counted. Limits per client know nobody. */
export function limitKeysOf({ id, audience, emails, phones, ips }: LimitedPerson): string[] {
  const networks = ips.flatMap((ip) => readIpAddress(ip) ?? []).map(clientNetwork)
  const requesters = networks.map(requesterIn)
  const addresses = [
    ...emails.map((value) => ({ kind: 'email', value })),
    ...phones.map((value) => ({ kind: 'phone', value })),
    // Whoever has no address tries passwords under the id.
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
    ...networks.map((network) => guessShareKey(key, network)),
  ])
  return [
    ...new Set([...keys, factorIntervalKey(id), ...codes]),
    ...codes.flatMap((key) => guessKeys(audience, key)),
  ]
}

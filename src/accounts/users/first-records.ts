import type { AuthError } from '../../platform/errors/auth-error.ts'
import type { User } from './user.ts'
import {
  emailExists,
  identityExists,
  phoneExists,
  userIdExists,
  usernameExists,
} from './user-errors.ts'
import { usernameKey } from './username.ts'

/** The records of a batch, of which only the first may have a unique value. */
export interface FirstRecords<Read> {
  firsts: Read[]
  /** The records that have a value of an earlier one, with the error that names it. */
  others: Map<Read, AuthError>
}

/** Finds the records that can be stored together. Each record that is left out takes no value. */
export function firstRecords<Read>(
  records: readonly Read[],
  userOf: (record: Read) => User,
): FirstRecords<Read> {
  const taken = new Set<string>()
  const found: FirstRecords<Read> = { firsts: [], others: new Map() }
  for (const record of records) {
    const values = uniqueValuesOf(userOf(record))
    const repeated = values.find(({ value }) => taken.has(value))
    if (repeated) {
      found.others.set(record, repeated.exists())
      continue
    }
    found.firsts.push(record)
    for (const { value } of values) taken.add(value)
  }
  return found
}

/** A value of an account that no other one may have. */
export interface UniqueValue {
  /** With its kind, so that values of two kinds differ. */
  value: string
  /** `id` for an identity whose subject is the id of the user, too. */
  kind: 'id' | 'email' | 'phone' | 'username' | 'identity' | 'identityId'
  /** Creates the error of another account that has it. */
  exists: () => AuthError
}

/** Returns the values of an account that no other one may have. */
export function uniqueValuesOf(user: User): UniqueValue[] {
  const { id, audience, email, phone, username, identities, isSsoUser } = user
  const addresses = isSsoUser ? { email: null, phone: null } : { email, phone }
  const named = (
    kind: UniqueValue['kind'],
    value: string | null,
    exists: () => AuthError,
  ): UniqueValue[] => (value === null ? [] : [{ value, kind, exists }])
  return [
    ...named('id', `user ${id}`, userIdExists),
    ...named('email', addresses.email && `email ${addresses.email}`, emailExists),
    ...named('phone', addresses.phone && `phone ${addresses.phone}`, phoneExists),
    ...named(
      'username',
      username && `username ${usernameKey(username)} of ${audience}`,
      usernameExists,
    ),
    ...identities.flatMap((one) => [
      ...named('identityId', `identity ${one.id}`, identityExists),
      ...named(
        one.subject === id ? 'id' : 'identity',
        `at ${one.provider} ${one.subject}`,
        identityExists,
      ),
    ]),
  ]
}

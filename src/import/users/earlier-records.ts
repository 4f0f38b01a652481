import { type UniqueValue, uniqueValuesOf } from '../../accounts/users/first-records.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { createPlaceIndex } from './place-index.ts'
import type { Candidate } from './read-moved-user.ts'

/** The records of a run that were stored, or whose users exist already. */
export interface EarlierRecords {
  /** Returns the rejection of a record that has a value of an earlier one; null for any other. */
  findRepetition(record: Candidate): AuthError | null
  add(record: Candidate): void
}

/** @param describePlace the name of a record in messages, by its place. */
export function createEarlierRecords(describePlace: (place: number) => string): EarlierRecords {
  const places = createPlaceIndex()
  return {
    findRepetition: (record) => {
      for (const { value, kind, exists } of givenValuesOf(record)) {
        const place = places.find(value)
        if (place === null) continue
        const { code, status } = exists()
        return new AuthError(code, status, repetitions[kind](describePlace(place)))
      }
      return null
    },
    add: (record) => {
      for (const { value } of givenValuesOf(record)) places.add(value, record.place)
    },
  }
}

const repetitions: Record<UniqueValue['kind'], (record: string) => string> = {
  id: (record) => `id: ${record} has the same id`,
  email: (record) => `email: ${record} has the same address`,
  phone: (record) => `phone: ${record} has the same number`,
  username: (record) => `username: ${record} has the same or a similar user name`,
  identity: (record) => `identities: ${record} has the same identity`,
  identityId: (record) => `identities: ${record} has an identity with the same id`,
}

/** Reports whether two of these records have the same value. */
export function haveRepetitions(records: readonly Candidate[]): boolean {
  const values = records.flatMap((record) => givenValuesOf(record).map(({ value }) => value))
  return new Set(values).size < values.length
}

/**
 * Returns the values that no other record may have. Generated ids are omitted, and identities of
 * addresses, whose subject is the id of the user.
 */
const givenValuesOf = ({ user, isIdGiven, isIdentityIdGiven }: Candidate): UniqueValue[] =>
  uniqueValuesOf(user).filter(
    ({ kind, value }) =>
      (kind !== 'id' || isIdGiven) &&
      (kind !== 'identityId' || isIdentityIdGiven) &&
      value !== `at email ${user.id}` &&
      value !== `at phone ${user.id}`,
  )

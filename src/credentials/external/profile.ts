import type {
  ExternalEmail,
  JsonReader,
} from '../../platform/config/sections/provider-definition.ts'

/** Returns the address of a provider that has at most one per user. */
export const oneEmail = (address: string | null, isVerified: boolean): ExternalEmail[] =>
  address === null ? [] : [{ address, isVerified }]

/** The claims that contain a name. */
export const named = (name: string | null) => ({ name, full_name: name })

/** The claims that contain the URL of a picture. */
export const pictured = (url: string | null) => ({ picture: url, avatar_url: url })

/** Joins first and last name; returns null without either. */
export const joinNames = (first: string | null, last: string | null): string | null =>
  `${first ?? ''} ${last ?? ''}`.trim() || null

/** Returns whether a member is true, or `'true'`: some providers write booleans as text. */
export const isTrueOrTrueText = (reader: JsonReader, member: string): boolean =>
  reader.isTrue(member) || reader.value(member) === 'true'

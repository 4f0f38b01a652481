import type {
  ExternalEmail,
  JsonReader,
} from '../../platform/config/sections/provider-definition.ts'

/** The address of a provider that knows at most one. */
export const oneEmail = (address: string | null, isVerified: boolean): ExternalEmail[] =>
  address === null ? [] : [{ address, isVerified }]

/** What a person is called. */
export const named = (name: string | null) => ({ name, full_name: name })

/** What a person looks like: the URL of a picture. */
export const pictured = (url: string | null) => ({ picture: url, avatar_url: url })

/** First and last name as one; null without either. */
export const joinNames = (first: string | null, last: string | null): string | null =>
  `${first ?? ''} ${last ?? ''}`.trim() || null

/** Whether a member is true, also where a provider writes booleans as text. */
export const isTrueOrSaysSo = (reader: JsonReader, member: string): boolean =>
  reader.isTrue(member) || reader.value(member) === 'true'

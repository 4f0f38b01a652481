import type { IdentityToImport, UserToImport } from '../../import/users/import-input.ts'
import type { Rejection } from '../../platform/errors/rejection.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { checkBody, checkInput } from '../../platform/http/check-input.ts'
import {
  type FieldKinds,
  Flag,
  fields,
  List,
  Metadata,
  Text,
  wireNamed,
  wireNameOf,
} from '../../platform/http/inputs.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { describeMisspelled, plainInput } from './read-input.ts'

/** The spelling of a record's fields: that of code, or that of the wire. */
export type Spelling = 'code' | 'wire'

const userFields = fields({
  id: Text,
  email: Text,
  phone: Text,
  username: Text,
  audience: wireNamed('aud', Text),
  role: Text,
  passwordHash: Text,
  password: Text,
  emailConfirm: Flag,
  phoneConfirm: Flag,
  emailConfirmedAt: Text,
  phoneConfirmedAt: Text,
  userMetadata: Metadata,
  appMetadata: Metadata,
  banDuration: Text,
  bannedUntil: Text,
  invitedAt: Text,
  lastSignInAt: Text,
  createdAt: Text,
  updatedAt: Text,
  deletedAt: Text,
  identities: List,
} satisfies Record<keyof UserToImport, unknown>)

/** On the wire, `id` is the subject at the provider. */
const identityFields = fields({
  provider: Text,
  subject: wireNamed('id', Text),
  identityData: Metadata,
  id: wireNamed('identity_id', Text),
  lastSignInAt: Text,
  suspendedAt: Text,
  createdAt: Text,
  updatedAt: Text,
} satisfies Record<keyof IdentityToImport, unknown>)

/** The type of a field. */
export type ImportedFieldKind = 'text' | 'flag' | 'json'

const fieldKinds: Record<string, ImportedFieldKind> = { string: 'text', boolean: 'flag' }

/** The fields of a record, in the spelling of the wire, with their types. */
export const importedFields: ReadonlyMap<string, ImportedFieldKind> = new Map(
  Object.entries(userFields.kinds as FieldKinds).map(([name, kind]) => [
    wireNameOf(name, kind),
    fieldKinds[String(kind.jsonSchema['type'])] ?? 'json',
  ]),
)

/**
 * Describes the first name that is similar to a field that the names do not contain, such as
 * `pasword_hash`. Null if there is none. Other unknown names are permitted: files contain more than
 * an import reads.
 */
export function describeMisspelledField(
  names: readonly string[],
  spelling: Spelling,
  described: { kinds: FieldKinds } = userFields,
): string | null {
  const known = Object.entries(described.kinds).map(([name, kind]) =>
    spelling === 'wire' ? wireNameOf(name, kind) : name,
  )
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length === 0) return null
  return describeMisspelled(
    unknown,
    known.filter((name) => !names.includes(name)),
  )
}

const codeNamesOf = ({ wireNames }: { wireNames: ReadonlyMap<string, string> }) =>
  new Map([...wireNames].map(([name, wireName]) => [wireName, name]))

const userNames = codeNamesOf(userFields)
const identityNames = codeNamesOf(identityFields)

/** Returns a rejection that names fields as on the wire with the names that they have in code. */
export function withCodeNames(rejection: Rejection): Rejection {
  const nameOf = (path: string): string => {
    const [field = '', place, part, ...rest] = path.split('.')
    const names = [userNames.get(field) ?? field, place, part && (identityNames.get(part) ?? part)]
    return [...names, ...rest].filter((name) => name !== undefined).join('.')
  }
  const { field, message } = rejection
  const [, named, text = message] = /^([\w.]+)(: .*)$/s.exec(message) ?? []
  // Names with an underscore exist on the wire only.
  const inCode = text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => userNames.get(name) ?? name)
  return {
    ...rejection,
    field: field === null ? null : nameOf(field),
    message: named === undefined ? inCode : `${nameOf(named)}${inCode}`,
  }
}

/**
 * Reads one record of an import. Unknown fields are left out, unless their name is similar to that
 * of a field: users would be stored without it, for example without a password.
 *
 * @throws AuthError `bad_json`, `validation_failed`, naming the field.
 */
export function readUserToImport(record: unknown, spelling: Spelling): UserToImport {
  const read = spelling === 'wire' ? checkBody : checkInput
  const plain = plainInput(record as object)
  const misspelled = describeMisspelledField(Object.keys(plain), spelling)
  if (misspelled !== null) throw validationFailed(misspelled)
  const { identities, ...user } = read(plain, userFields)
  const readIdentity = (item: unknown, at: number) => {
    const place = `identities.${at}`
    const names = isRecord(item) ? Object.keys(item) : []
    const wrong = describeMisspelledField(names, spelling, identityFields)
    if (wrong !== null) throw validationFailed(`${place}.${wrong}`)
    // A missing provider is reported when the whole identity is checked.
    return read(item, identityFields, place) as IdentityToImport
  }
  // A password is rejected there, too.
  return {
    ...user,
    ...(identities && { identities: identities.map(readIdentity) }),
  } as UserToImport
}

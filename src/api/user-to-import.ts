import { object } from 'superstruct'
import type { IdentityToImport, UserToImport } from '../flows/import-users/import-input.ts'
import { checkInput } from '../http/check-input.ts'
import { Flag, List, Metadata, Text } from '../http/inputs.ts'
import { type Fields, readInput } from './read-input.ts'

/** How a record spells its fields: as code does, or as the wire does. */
export type Spelling = 'code' | 'wire'

/** What a field holds, and what the wire calls it. */
type Description = Record<string, readonly [struct: Field, wireName: string]>
type Field = typeof Text | typeof Flag | typeof Metadata | typeof List

const user = {
  id: [Text, 'id'],
  email: [Text, 'email'],
  phone: [Text, 'phone'],
  audience: [Text, 'aud'],
  role: [Text, 'role'],
  passwordHash: [Text, 'password_hash'],
  password: [Text, 'password'],
  emailConfirm: [Flag, 'email_confirm'],
  phoneConfirm: [Flag, 'phone_confirm'],
  emailConfirmedAt: [Text, 'email_confirmed_at'],
  phoneConfirmedAt: [Text, 'phone_confirmed_at'],
  userMetadata: [Metadata, 'user_metadata'],
  appMetadata: [Metadata, 'app_metadata'],
  banDuration: [Text, 'ban_duration'],
  bannedUntil: [Text, 'banned_until'],
  invitedAt: [Text, 'invited_at'],
  lastSignInAt: [Text, 'last_sign_in_at'],
  createdAt: [Text, 'created_at'],
  updatedAt: [Text, 'updated_at'],
  deletedAt: [Text, 'deleted_at'],
  identities: [List, 'identities'],
} as const satisfies Fields<UserToImport> & Description

/** On the wire, `id` is who the user is at the provider. */
const identity = {
  provider: [Text, 'provider'],
  subject: [Text, 'id'],
  identityData: [Metadata, 'identity_data'],
  id: [Text, 'identity_id'],
  lastSignInAt: [Text, 'last_sign_in_at'],
  createdAt: [Text, 'created_at'],
  updatedAt: [Text, 'updated_at'],
} as const satisfies Fields<IdentityToImport> & Description

/** What a field holds. */
export type FieldKind = 'text' | 'flag' | 'json'

/** The fields of a record, as the wire spells them, and what each holds. */
export const importedFields: ReadonlyMap<string, FieldKind> = new Map(
  Object.values(user).map(([struct, name]) => [name, kindOf(struct)]),
)

function kindOf(struct: Field): FieldKind {
  if (struct === Text) return 'text'
  return struct === Flag ? 'flag' : 'json'
}

/**
 * Reads one record of an import. What it does not describe is left out.
 *
 * @throws AuthError `bad_json`, `validation_failed`, naming the field.
 */
export function readUserToImport(record: unknown, spelling: Spelling): UserToImport {
  const given = readers[spelling].user(record as object)
  const { identities } = given
  if (identities === undefined) return given
  return { ...given, identities: identities.map(readers[spelling].identity) }
}

const readers = { code: readersOf('code'), wire: readersOf('wire') }

function readersOf(spelling: Spelling) {
  const [ofUser, ofIdentity] = [spelled(user, spelling), spelled(identity, spelling)]
  return {
    user: (record: object): UserToImport => ofUser.rename(readInput(record, ofUser.struct)),
    identity: (item: unknown, at: number): IdentityToImport => {
      const read = checkInput(item, ofIdentity.struct, `identities.${at}`)
      // That a provider is missing is found out where all of its identity is looked at.
      return ofIdentity.rename(read) as IdentityToImport
    },
  }
}

function spelled(description: Description, spelling: Spelling) {
  const fields = Object.entries(description).map(([name, [struct, wireName]]) => ({
    ...{ name, struct, given: spelling === 'wire' ? wireName : name },
  }))
  return {
    struct: object(Object.fromEntries(fields.map(({ given, struct }) => [given, struct]))),
    rename: (record: Record<string, unknown>) =>
      Object.fromEntries(fields.map(({ name, given }) => [name, record[given]])) as object,
  }
}

import type { JsonSchema } from '../../platform/http/json-schema.ts'
import { exported, type Withheld, withheld } from '../../platform/sql/personal-table.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { UserEntity } from './user.entity.ts'

/** A row of `users`, with the columns that no caller reads. */
export type StoredUserRow = RowOf<UserEntity>

/**
 * The decisions about a column of `users`: mapping, export, soft deletion and, for columns that are
 * not part of the wire protocol of `@supabase/auth-js`, the wire form derive from them.
 */
type ColumnDecisions = {
  /** Whether an export of the user contains it. */
  export: typeof exported | Withheld
  /**
   * The value after a soft deletion: the value itself, a hash of it (`hashed phone` is as long as a
   * phone number), an SQL literal, or, with `set`, a value that the deletion writes.
   */
  softDeletion: 'kept' | 'hashed' | 'hashed phone' | { literal: string } | 'set'
} & (FieldAsStored | OtherField)

/** The column is a field of `User` as stored, with its name in camelCase. */
interface FieldAsStored {
  field: 'value'
  /**
   * The schema of the field in the wire form, under the name of the column, where it is not null.
   * `present-user.ts` presents the columns that the protocol of the clients has.
   */
  shownAs?: JsonSchema
}

interface OtherField {
  /**
   * The field of `User`, with the name of the column in camelCase: an instant, or, with `mapped`, a
   * value that `user-row.ts` converts. Null: `User` does not have it.
   */
  field: 'instant' | 'mapped' | null
  shownAs?: never
}

const nothing = { literal: 'null' }
const emptyObject = { literal: "'{}'" }

const version = withheld('the number of changes, by which the service detects concurrent ones')
const passwordHash = withheld(
  'a hash of the password, from which any reader of the export could guess it',
)

const usernameKey = withheld('the user name once more, in the form in which names are compared')

/** The columns of `users`. A column of the entity that is missing here does not compile. */
export const userColumns = {
  id: { field: 'value', export: exported, softDeletion: 'kept' },
  audience: { field: 'value', export: exported, softDeletion: 'kept' },
  role: { field: 'value', export: exported, softDeletion: 'kept' },
  email: { field: 'value', export: exported, softDeletion: 'hashed' },
  phone: { field: 'value', export: exported, softDeletion: 'hashed phone' },
  username: {
    field: 'value',
    export: exported,
    softDeletion: nothing,
    shownAs: {
      type: 'string',
      description: 'Where there is one. It signs in once an address of the user is confirmed.',
    },
  },
  email_confirmed_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  phone_confirmed_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  invited_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  confirmation_sent_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  recovery_sent_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  reauthentication_sent_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  new_email: { field: 'value', export: exported, softDeletion: 'hashed' },
  email_change_sent_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  email_change_confirm_status: {
    field: 'mapped',
    export: exported,
    softDeletion: { literal: '0' },
  },
  new_phone: { field: 'value', export: exported, softDeletion: 'hashed phone' },
  phone_change_sent_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  change_proved_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  email_changed_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  phone_changed_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  last_sign_in_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  app_metadata: { field: 'value', export: exported, softDeletion: emptyObject },
  user_metadata: { field: 'value', export: exported, softDeletion: emptyObject },
  is_anonymous: { field: 'value', export: exported, softDeletion: 'kept' },
  is_sso_user: { field: 'value', export: exported, softDeletion: 'kept' },
  banned_until: { field: 'instant', export: exported, softDeletion: 'kept' },
  deleted_at: { field: 'instant', export: exported, softDeletion: 'set' },
  created_at: { field: 'instant', export: exported, softDeletion: 'kept' },
  updated_at: { field: 'instant', export: exported, softDeletion: 'set' },
  registered_by: { field: null, export: exported, softDeletion: nothing },
  registered_from: { field: null, export: exported, softDeletion: nothing },
  registered_keys: { field: null, export: exported, softDeletion: nothing },
  version: { field: null, export: version, softDeletion: 'set' },
  username_key: { field: null, export: usernameKey, softDeletion: nothing },
  password_hash: { field: null, export: passwordHash, softDeletion: nothing },
} as const satisfies Record<keyof StoredUserRow, ColumnDecisions>

type Decisions = typeof userColumns

/** The columns with this kind of field in `User`. */
export type ColumnsWith<Field extends ColumnDecisions['field']> = {
  [column in keyof Decisions]: Decisions[column]['field'] extends Field ? column : never
}[keyof Decisions]

/** The columns that `User` contains. */
export type ReadColumn = ColumnsWith<'instant' | 'value' | 'mapped'>

/** Lists the columns with these kinds of fields, in order. */
export const columnsWith = <Field extends ColumnDecisions['field']>(
  ...fields: readonly Field[]
): ColumnsWith<Field>[] => {
  const names = Object.keys(userColumns) as (keyof Decisions)[]
  return names.filter((name): name is ColumnsWith<Field> =>
    fields.some((field) => field === userColumns[name].field),
  )
}

/** The content of an export, by column. */
export const exportDecisions = Object.fromEntries(
  Object.entries(userColumns).map(([name, decisions]) => [name, decisions.export]),
) as { [column in keyof Decisions]: Decisions[column]['export'] }

/** The values after a soft deletion, by column. */
export const softDeletions: readonly (readonly [string, ColumnDecisions['softDeletion']])[] =
  Object.entries(userColumns).map(([name, { softDeletion }]) => [name, softDeletion])

type ShownColumn = {
  [column in keyof Decisions]: Decisions[column] extends { shownAs: JsonSchema } ? column : never
}[keyof Decisions]

const decided: Readonly<Record<string, ColumnDecisions>> = userColumns

/** The schemas of the columns that the wire form has in addition to the protocol of the clients. */
export const shownColumns = Object.fromEntries(
  Object.entries(decided)
    .map(([name, { shownAs }]) => [name, shownAs])
    .filter(([, schema]) => schema),
) as Record<ShownColumn, JsonSchema>

import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

/** The columns of a user. `service/persistence/host-entities.ts` shows some of them to hosts. */
export const userProperties = {
  id: p.uuid().primary(),
  audience: p.text(),
  role: p.text(),
  email: p.text().collation('C').nullable(),
  phone: p.text().nullable(),
  username: p.text().nullable(),
  /** The key of the name while the user holds it: see `username.ts`. */
  usernameKey: p.text().nullable().hidden(),
  passwordHash: p.text().nullable().hidden(),
  emailConfirmedAt: p.datetime().nullable(),
  phoneConfirmedAt: p.datetime().nullable(),
  invitedAt: p.datetime().nullable(),
  confirmationSentAt: p.datetime().nullable(),
  recoverySentAt: p.datetime().nullable(),
  newEmail: p.text().nullable(),
  emailChangeSentAt: p.datetime().nullable(),
  emailChangeConfirmStatus: p.smallint().default(0),
  newPhone: p.text().nullable(),
  phoneChangeSentAt: p.datetime().nullable(),
  changeProvedAt: p.datetime().nullable(),
  reauthenticationSentAt: p.datetime().nullable(),
  lastSignInAt: p.datetime().nullable(),
  appMetadata: p.json<Record<string, unknown>>(),
  userMetadata: p.json<Record<string, unknown>>(),
  registeredBy: p.text().$type<'signup' | 'otp' | 'contested'>().nullable(),
  registeredFrom: p.text().nullable(),
  registeredKeys: p.json<readonly string[]>().nullable(),
  isAnonymous: p.boolean(),
  isSsoUser: p.boolean(),
  bannedUntil: p.datetime().nullable(),
  deletedAt: p.datetime().nullable(),
  createdAt: p.datetime(),
  updatedAt: p.datetime(),
  version: p.integer().version(),
  emailChangedAt: p.datetime().nullable(),
  phoneChangedAt: p.datetime().nullable(),
}

const UserSchema = defineEntity({
  name: 'User',
  properties: userProperties,
  indexes: [
    { properties: ['audience', 'createdAt', 'id'] },
    { properties: ['createdAt', 'id'], where: { isAnonymous: true } },
    { properties: ['audience', 'email', 'id'], where: { isSsoUser: true } },
  ],
  uniques: [
    { properties: ['email'], include: ['audience'], where: { isSsoUser: false } },
    { properties: ['phone'], where: { isSsoUser: false, phone: { $ne: null } } },
    { properties: ['audience', 'usernameKey'], where: { usernameKey: { $ne: null } } },
  ],
})

/**
 * A person (or an anonymous user) who can sign in. Addresses are stored in one form: email in lower
 * case, phone as the digits of E.164 without `+`.
 */
class User extends UserSchema.class {}
UserSchema.setClass(User)

export { User as UserEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    users: RowOf<User>
  }
}

const ImportedUserSchema = defineEntity({
  name: 'ImportedUser',
  properties: {
    id: p.uuid().primary(),
    /** Digests of all imported data of the user. They show whether it has changed. */
    fingerprint: p.string().length(64),
    /** The user's `updatedAt` after the import. It shows whether the user was changed here. */
    updatedAt: p.datetime(),
  },
})

/**
 * A user who was imported from another service. The record outlasts the user, so that a user who
 * was deleted here is not imported again. It contains no data of the person.
 */
export class ImportedUser extends ImportedUserSchema.class {}
ImportedUserSchema.setClass(ImportedUser)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_users: RowOf<ImportedUser>
  }
}

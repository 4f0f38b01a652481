import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

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

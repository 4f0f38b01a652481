import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const ImportedUserSchema = defineEntity({
  name: 'ImportedUser',
  properties: {
    id: p.uuid().primary(),
    /** Digests of all that was brought over of the user: they tell whether there is news. */
    fingerprint: p.string().length(64),
    /** What the import left in `updatedAt` of the user: tells whether somebody changed them here. */
    updatedAt: p.datetime(),
  },
})

/**
 * A user who was imported from another service. The record outlasts the user, so that one who was
 * deleted here is not brought over again; it says nothing about the person.
 */
export class ImportedUser extends ImportedUserSchema.class {}
ImportedUserSchema.setClass(ImportedUser)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_users: RowOf<ImportedUser>
  }
}

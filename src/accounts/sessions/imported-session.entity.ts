import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const ImportedSessionSchema = defineEntity({
  name: 'ImportedSession',
  properties: { id: p.uuid().primary() },
})

/** A session that was imported once, so that one which ended here is not brought over again. */
export class ImportedSession extends ImportedSessionSchema.class {}
ImportedSessionSchema.setClass(ImportedSession)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_sessions: RowOf<ImportedSession>
  }
}

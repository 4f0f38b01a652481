import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const ImportedSessionSchema = defineEntity({
  name: 'ImportedSession',
  properties: { id: p.uuid().primary() },
})

/** A session that was imported once. One that ended here is not imported again. */
export class ImportedSession extends ImportedSessionSchema.class {}
ImportedSessionSchema.setClass(ImportedSession)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_sessions: RowOf<ImportedSession>
  }
}

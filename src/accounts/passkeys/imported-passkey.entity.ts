import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const ImportedPasskeySchema = defineEntity({
  name: 'ImportedPasskey',
  properties: { id: p.uuid().primary() },
})

/** A passkey that was imported once. One that was removed here is not imported again. */
export class ImportedPasskey extends ImportedPasskeySchema.class {}
ImportedPasskeySchema.setClass(ImportedPasskey)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_passkeys: RowOf<ImportedPasskey>
  }
}

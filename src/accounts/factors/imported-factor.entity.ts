import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const ImportedFactorSchema = defineEntity({
  name: 'ImportedFactor',
  properties: { id: p.uuid().primary() },
})

/** A factor that was imported once. One that was removed here is not imported again. */
export class ImportedFactor extends ImportedFactorSchema.class {}
ImportedFactorSchema.setClass(ImportedFactor)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_factors: RowOf<ImportedFactor>
  }
}

import { defineEntity, p } from '@mikro-orm/core'

const ImportedFactorSchema = defineEntity({
  name: 'ImportedFactor',
  properties: { id: p.uuid().primary() },
})

/** A factor that was imported once, so that one which was removed here is not brought over again. */
export class ImportedFactor extends ImportedFactorSchema.class {}
ImportedFactorSchema.setClass(ImportedFactor)

import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { FactorEntity } from './factor.entity.ts'

const RecoveryCodeSchema = defineEntity({
  name: 'RecoveryCode',
  properties: {
    id: p.uuid().primary(),
    factor: () => p.manyToOne(FactorEntity).deleteRule('cascade'),
    codeHash: p.string().length(64).hidden(),
    spentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
  uniques: [{ properties: ['factor', 'codeHash'] }],
})

/**
 * One code of a set; the set is the factor. It is accepted once; a used code is stored, and no
 * longer accepted.
 */
export class RecoveryCode extends RecoveryCodeSchema.class {}
RecoveryCodeSchema.setClass(RecoveryCode)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    recovery_codes: RowOf<RecoveryCode>
  }
}

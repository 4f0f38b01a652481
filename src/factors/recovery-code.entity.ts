import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../sql/row-of.ts'
import { Factor } from './factor.entity.ts'

const RecoveryCodeSchema = defineEntity({
  name: 'RecoveryCode',
  properties: {
    id: p.uuid().primary(),
    factor: () => p.manyToOne(Factor).deleteRule('cascade'),
    codeHash: p.string().length(64).hidden(),
    spentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
  uniques: [{ properties: ['factor', 'codeHash'] }],
})

/** One code of a set, which is the factor. It is good once; a spent one is kept, and counts no more. */
export class RecoveryCode extends RecoveryCodeSchema.class {}
RecoveryCodeSchema.setClass(RecoveryCode)

declare module '../sql/tables.ts' {
  interface Tables {
    recovery_codes: RowOf<RecoveryCode>
  }
}

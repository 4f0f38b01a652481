import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { FactorEntity } from './factor.entity.ts'

const ChallengeSchema = defineEntity({
  name: 'Challenge',
  properties: {
    id: p.uuid().primary(),
    factor: () => p.manyToOne(FactorEntity).deleteRule('cascade').index(),
    /** The hash of the code that was sent to a phone; null for any other factor. */
    codeHash: p.string().length(64).nullable().hidden(),
    /** The hash of the value that a security key has to sign; null for any other factor. */
    challengeHash: p.string().length(64).nullable().hidden(),
    /**
     * The only session that may submit the output; null where any session of the user may, or, for
     * a security key, none.
     */
    sessionId: p.uuid().nullable(),
    attempts: p.smallint(),
    ip: p.type('inet').$type<string>().nullable(),
    expiresAt: p.datetime().index(),
    spentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})

/**
 * One challenge for a factor. It accepts a few codes, the correct one once, or one signature. A
 * consumed one is stored for a day, to distinguish it from one that never existed.
 */
export class Challenge extends ChallengeSchema.class {}
ChallengeSchema.setClass(Challenge)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    challenges: RowOf<Challenge>
  }
}

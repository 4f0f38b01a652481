import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { FactorEntity } from './factor.entity.ts'

const ChallengeSchema = defineEntity({
  name: 'Challenge',
  properties: {
    id: p.uuid().primary(),
    factor: () => p.manyToOne(FactorEntity).deleteRule('cascade').index(),
    /** Of the code that was sent to a phone; null where the user has the code from elsewhere. */
    codeHash: p.string().length(64).nullable().hidden(),
    /** Of what a security key is to sign; null for another factor. */
    challengeHash: p.string().length(64).nullable().hidden(),
    /** The session that alone may answer; null where any of the user may, or none. */
    sessionId: p.uuid().nullable(),
    attempts: p.smallint(),
    ip: p.type('inet').$type<string>().nullable(),
    expiresAt: p.datetime().index(),
    spentAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})

/**
 * One attempt to prove a factor. It takes a few codes, the right one once, or one signature; a spent one is kept for
 * a day, so that it can be told from one that never was.
 */
export class Challenge extends ChallengeSchema.class {}
ChallengeSchema.setClass(Challenge)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    challenges: RowOf<Challenge>
  }
}

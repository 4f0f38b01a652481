import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { SessionEntity } from './session.entity.ts'

const ImportedTokenSchema = defineEntity({
  name: 'ImportedToken',
  properties: {
    tokenHash: p.string().length(64).primary().hidden(),
    session: () => p.manyToOne(SessionEntity).deleteRule('cascade').index(),
  },
})

/**
 * A refresh token that another service issued, of a session that was imported from there. It is
 * equivalent to the token with the counter 0 of that session, and so is valid until the session was
 * renewed once.
 */
export class ImportedToken extends ImportedTokenSchema.class {}
ImportedTokenSchema.setClass(ImportedToken)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_tokens: RowOf<ImportedToken>
  }
}

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

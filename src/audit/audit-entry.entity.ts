import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../sql/row-of.ts'

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  properties: {
    id: p.uuid().primary(),
    createdAt: p.datetime(),
    action: p.smallint(),
    actorId: p.uuid().nullable(),
    actorRole: p.text().nullable(),
    userId: p.uuid().nullable(),
    traits: p.json<Record<string, unknown>>().nullable(),
    ip: p.type('inet').$type<string>().nullable(),
    requestId: p.text().nullable(),
  },
  indexes: [
    { properties: ['actorId'], where: { actorId: { $ne: null } } },
    { properties: ['userId'], where: { userId: { $ne: null } } },
  ],
})

/**
 * Who did what, when. Kept narrow, since each act writes one: the action is a number, and the form
 * that the wire shows is built on reading. Ids sort by time, so the primary key serves the log. Most have
 * either an actor or a user, so the two indexes together cost what one would.
 */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry)

declare module '../sql/tables.ts' {
  interface Tables {
    audit_entries: RowOf<AuditEntry>
  }
}

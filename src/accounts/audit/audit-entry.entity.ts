import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

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
    occurrences: p.integer().nullable(),
  },
  indexes: [
    { properties: ['actorId'], where: { actorId: { $ne: null } } },
    { properties: ['userId'], where: { userId: { $ne: null } } },
  ],
})

/**
 * An audit entry: an action, its actor and its time. The row is narrow, since each act writes one:
 * the action is a number, and the wire form is built on reading. Ids sort by time, so the primary
 * key serves the log. Most entries have either an actor or a user, so the two indexes together cost
 * as much as one.
 *
 * `occurrences` is null, except in an entry that counts the requests of an hour: see
 * `countedEntry`.
 */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    audit_entries: RowOf<AuditEntry>
  }
}

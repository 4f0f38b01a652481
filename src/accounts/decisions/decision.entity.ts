import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const DecisionSchema = defineEntity({
  name: 'Decision',
  properties: {
    id: p.uuid().primary(),
    requestId: p.text().index(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index(),
    /** The endpoint as in its description: `POST /token`. */
    endpoint: p.text(),
    status: p.smallint(),
    kind: p.text(),
    rule: p.text(),
  },
})

/**
 * A decision about a request, and its rule, for operators who look for the reason of a response. It
 * is stored for a day. It contains no data of the request except its id, where a header supplies
 * one.
 */
class Decision extends DecisionSchema.class {}
DecisionSchema.setClass(Decision)

export { Decision as DecisionEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    decisions: RowOf<Decision>
  }
}

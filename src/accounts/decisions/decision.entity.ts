import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const DecisionSchema = defineEntity({
  name: 'Decision',
  properties: {
    id: p.uuid().primary(),
    requestId: p.text().index(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index(),
    /** As its description has it: `POST /token`. */
    endpoint: p.text(),
    status: p.smallint(),
    kind: p.text(),
    rule: p.text(),
  },
})

/**
 * What was decided about a request, and by which rule, for an operator who is asked why. Kept a day. Words of ours alone:
 * nothing that a request said is in it, save its id where a header names that.
 */
class Decision extends DecisionSchema.class {}
DecisionSchema.setClass(Decision)

export { Decision as DecisionEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    decisions: RowOf<Decision>
  }
}

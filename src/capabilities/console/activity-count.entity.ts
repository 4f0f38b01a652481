import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const ActivityCountSchema = defineEntity({
  name: 'ActivityCount',
  properties: {
    kind: p.text().primary(),
    hour: p.datetime().primary(),
    occurrences: p.integer(),
  },
})

/** The number of events of a kind in one hour, for the overview of the console. */
class ActivityCount extends ActivityCountSchema.class {}
ActivityCountSchema.setClass(ActivityCount)

export { ActivityCount as ActivityCountEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    activity_counts: RowOf<ActivityCount>
  }
}

import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { raised } from '../sessions/session-assurance.sql.ts'

/** The session to raise, and the entry of `amr` for the proof: `{ method, timestamp }` in JSON. */
interface RaiseParameters {
  sessionId: string
  proof: string
}

/**
 * Returns the common table expressions of a proof. `s` raises the session to `aal2` by the factor
 * in an earlier expression `f`, and contains it as `session`.
 */
export const raiseSession = (
  sql: TableFragments,
  $: Placeholders<RaiseParameters>,
): string => `s as (
      update ${sql.table('sessions')} s set factor_id = f.id, ${raised($.proof)}
      from f where s.id = ${$.sessionId} returning to_jsonb(s) as session
    )`

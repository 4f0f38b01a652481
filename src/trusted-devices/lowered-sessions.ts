import type { TableFragments } from '../sql/tables.ts'

/**
 * An update that takes from a user's sessions what a trusted device gave them: they are `aal1` again, unless a factor was
 * shown in them, too.
 */
export const loweredSessions = (sql: TableFragments, userId: string): string => `
  update ${sql.table('sessions')} s set aal = 'aal1', amr = coalesce((
    select jsonb_agg(known) from jsonb_array_elements(s.amr) known
    where known ->> 'method' <> 'trusted_device'), '[]')
  where s.user_id = ${userId} and s.factor_id is null and s.amr @> '[{"method": "trusted_device"}]'`

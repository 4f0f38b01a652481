import type { TestAuth } from './test-auth.ts'

const tables = ['users', 'sessions']

/**
 * Runs work while each write of a user or session fails with an error that quotes the whole row.
 *
 * @param code of the error. Default: that of a check constraint.
 */
export async function whileWritesBreak<T>(
  auth: TestAuth,
  work: () => Promise<T>,
  code = '23514',
): Promise<T> {
  await auth.rows(`create or replace function public.refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'refused: %', row_to_json(new) using
        detail = 'Failing row contains ' || row_to_json(new)::text,
        hint = row_to_json(new)::text, errcode = '${code}';
    end $$`)
  for (const table of tables) {
    await auth.rows(`create trigger refuse before insert or update on auth.${table}
      for each row execute function public.refuse()`)
  }
  try {
    return await work()
  } finally {
    for (const table of tables) await auth.rows(`drop trigger refuse on auth.${table}`)
  }
}

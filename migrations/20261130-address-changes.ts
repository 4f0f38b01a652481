import { defineMigration } from '../src/platform/sql/migration.ts'

/**
 * The times at which users replaced their addresses. They are null for most users, so take no space.
 * An address that was replaced in the day before is known by its identity only. All identities are
 * read before users are locked, since requests wait for the lock.
 */
export const addressChanges = defineMigration(({ table }) => [
  `do $$
  declare
    ids uuid[];
    emails timestamptz[];
    phones timestamptz[];
  begin
    select array_agg(user_id), array_agg(email_at), array_agg(phone_at) into ids, emails, phones
    from (
      select user_id, max(updated_at) filter (where provider = 'email') as email_at,
        max(updated_at) filter (where provider = 'phone') as phone_at
      from ${table('identities')}
      where provider in ('email', 'phone') and updated_at > now() - interval '1 day'
      group by user_id
    ) i;
    alter table ${table('users')} add column email_changed_at timestamptz,
      add column phone_changed_at timestamptz;
    update ${table('users')} u set email_changed_at = i.email_at, phone_changed_at = i.phone_at
    from unnest(ids, emails, phones) i (user_id, email_at, phone_at)
    where i.user_id = u.id and u.created_at < now() - interval '1 day';
  end $$`,
])

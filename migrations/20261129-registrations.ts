import { defineMigration } from '../src/persistence/migration.ts'

/**
 * Who brought what an unproved account holds, and who asked for each link and code: one client's request
 * neither replaces another's nor decides what the other's proof keeps.
 */
export const registrations = defineMigration(({ table, prefixed }) => [
  `alter table ${table('users')}
    add column registered_by text,
    add column registered_from text`,
  // Whoever registered before this was noted is known by nothing: any other request competes.
  `update ${table('users')} set registered_by = 'signup'
    where email_confirmed_at is null and phone_confirmed_at is null and invited_at is null
      and password_hash is not null`,

  `alter table ${table('sessions')} add column opened_ip inet`,
  `update ${table('sessions')} set opened_ip = ip`,

  `alter table ${table('one_time_tokens')}
    add column audience text not null default '',
    add column requested_from text,
    drop column attempts,
    drop constraint ${prefixed('one_time_tokens_user_id_purpose_unique')},
    add constraint ${prefixed('one_time_tokens_user_id_purpose_requested_from_unique')}
      unique (user_id, purpose, requested_from)`,
  `update ${table('one_time_tokens')} t set audience = u.audience
    from ${table('users')} u where u.id = t.user_id`,
])

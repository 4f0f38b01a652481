import { defineMigration } from '../../platform/sql/migration.ts'

/** The table of devices on which the second factor is not required until the trust expires. */
export const trustedDevicesTables = defineMigration(({ table, prefixed }) => [
  `create table ${table('trusted_devices')} (
    id uuid not null primary key,
    user_id uuid not null,
    secret_hash varchar(64) not null,
    previous_hash varchar(64),
    user_agent text,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    expires_at timestamptz not null,
    constraint ${prefixed('trusted_devices_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  )`,
  `create index ${prefixed('trusted_devices_user_id_index')} on ${table('trusted_devices')} (user_id)`,
  `create index ${prefixed('trusted_devices_expires_at_index')} on ${table('trusted_devices')} (expires_at)`,
  `revoke all on ${table('trusted_devices')} from public`,
])

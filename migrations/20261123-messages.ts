import { defineMigration } from '../src/persistence/migration.ts'

/** Messages until a carrier took them, codes of PKCE sign-ins, and the halves of a change of address. */
export const messages = defineMigration(({ table, prefixed }) => [
  `alter table ${table('users')}
    add column email_change_confirm_status smallint not null default 0`,

  `create index ${prefixed('one_time_tokens_sent_to_index')}
    on ${table('one_time_tokens')} (sent_to)`,

  `create table ${table('outbox_messages')} (
    id uuid not null primary key,
    user_id uuid,
    channel text not null,
    kind text not null,
    recipient text not null,
    body text,
    status text not null,
    attempts smallint not null,
    next_attempt_at timestamptz,
    expires_at timestamptz,
    carrier_message_id text,
    last_error text,
    settled_at timestamptz,
    created_at timestamptz not null,
    constraint ${prefixed('outbox_messages_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  )`,
  `create index ${prefixed('outbox_messages_user_id_index')}
    on ${table('outbox_messages')} (user_id)`,
  `create index ${prefixed('outbox_messages_channel_next_attempt_at_index')}
    on ${table('outbox_messages')} (channel, next_attempt_at)`,
  `create index ${prefixed('outbox_messages_settled_at_index')}
    on ${table('outbox_messages')} (settled_at)`,

  `create table ${table('authorization_codes')} (
    id uuid not null primary key,
    user_id uuid not null,
    code_hash varchar(64) not null,
    code_challenge text not null,
    code_challenge_method text not null,
    method text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint ${prefixed('authorization_codes_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade,
    constraint ${prefixed('authorization_codes_code_hash_unique')} unique (code_hash)
  )`,
  `create index ${prefixed('authorization_codes_user_id_index')}
    on ${table('authorization_codes')} (user_id)`,
  `create index ${prefixed('authorization_codes_expires_at_index')}
    on ${table('authorization_codes')} (expires_at)`,

  `revoke all on ${table('outbox_messages')}, ${table('authorization_codes')} from public`,
])

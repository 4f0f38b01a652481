import { defineMigration } from '../../platform/sql/migration.ts'

/** The tables of the subscription pages, where these are enabled. */
export const subscribePagesTables = defineMigration(({ table, prefixed }) => [
  `create table ${table('subscribe_page_owners')} (
    id serial primary key,
    user_id uuid not null,
    constraint ${prefixed('subscribe_page_owners_user_id_unique')} unique (user_id),
    constraint ${prefixed('subscribe_page_owners_user_id_foreign')} foreign key (user_id)
      references ${table('users')} (id) on delete cascade)`,
  `create table ${table('subscribe_pages')} (
    id serial primary key,
    title text not null,
    active boolean not null,
    owner_id int null,
    version int not null,
    constraint ${prefixed('subscribe_pages_owner_id_foreign')} foreign key (owner_id)
      references ${table('subscribe_page_owners')} (id) on delete set null)`,
  `create index ${prefixed('subscribe_pages_owner_id_index')}
    on ${table('subscribe_pages')} (owner_id)`,
  `create table ${table('subscribe_page_entries')} (
    page_id int not null,
    key text not null,
    value text not null,
    constraint ${prefixed('subscribe_page_entries_pkey')} primary key (page_id, key),
    constraint ${prefixed('subscribe_page_entries_page_id_foreign')} foreign key (page_id)
      references ${table('subscribe_pages')} (id) on delete cascade)`,
  `create table ${table('subscribe_page_keys')} (
    id serial primary key,
    key_hash varchar(64) not null,
    session_id uuid not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint ${prefixed('subscribe_page_keys_key_hash_unique')} unique (key_hash),
    constraint ${prefixed('subscribe_page_keys_session_id_unique')} unique (session_id),
    constraint ${prefixed('subscribe_page_keys_session_id_foreign')} foreign key (session_id)
      references ${table('sessions')} (id) on delete cascade)`,
  `create index ${prefixed('subscribe_page_keys_expires_at_index')}
    on ${table('subscribe_page_keys')} (expires_at)`,
  `create table ${table('subscriber_lists')} (
    id serial primary key,
    name text not null,
    description text null,
    list_position int null,
    public boolean not null)`,
])

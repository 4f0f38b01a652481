/** The minimum tables for the same work: users, sessions that are refreshed, and a log of both. */
export const schema = `
  create schema if not exists floor;
  create table if not exists floor.users (
    id uuid primary key,
    email text not null unique,
    password_hash text not null,
    app_metadata jsonb not null,
    user_metadata jsonb not null,
    confirmed_at timestamptz,
    last_sign_in_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create table if not exists floor.identities (
    id uuid primary key,
    user_id uuid not null references floor.users on delete cascade,
    provider text not null,
    identity_data jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index if not exists identities_user_id on floor.identities (user_id);
  create table if not exists floor.sessions (
    id uuid primary key,
    user_id uuid not null references floor.users on delete cascade,
    counter int not null,
    refreshed_at timestamptz,
    ip inet,
    user_agent text,
    created_at timestamptz not null
  ) with (fillfactor = 70);
  create index if not exists sessions_user_id on floor.sessions (user_id);
  create table if not exists floor.audit (
    id uuid primary key,
    created_at timestamptz not null,
    action smallint not null,
    actor_id uuid,
    ip inet
  );`

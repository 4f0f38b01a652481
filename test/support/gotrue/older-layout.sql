-- The service before factors, anonymous users, single sign-on and signed refresh tokens: the id of an identity
-- is that of the provider, and there is no soft deletion.
create schema auth;

create table auth.users (
  instance_id uuid,
  id uuid not null unique,
  aud varchar(255),
  role varchar(255),
  email varchar(255) unique,
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token varchar(255),
  confirmation_sent_at timestamptz,
  recovery_token varchar(255),
  recovery_sent_at timestamptz,
  email_change_token_new varchar(255),
  email_change varchar(255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone varchar(15) unique default null,
  phone_confirmed_at timestamptz,
  phone_change varchar(15) default '',
  phone_change_token varchar(255) default '',
  phone_change_sent_at timestamptz
);

create table auth.identities (
  id text not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  identity_data jsonb not null,
  provider text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  primary key (provider, id)
);

create table auth.sessions (
  id uuid not null primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz,
  updated_at timestamptz
);

create table auth.refresh_tokens (
  instance_id uuid,
  id bigserial not null primary key,
  token varchar(255),
  user_id varchar(255),
  revoked boolean,
  created_at timestamptz,
  updated_at timestamptz,
  parent varchar(255),
  session_id uuid references auth.sessions on delete cascade
);

insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at)
values ('0d000000-0000-4000-8000-000000000001', 'authenticated', 'authenticated', 'olga@example.test',
  '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', '2021-05-06 07:08:09+00',
  '{"provider": "email", "providers": ["email", "gitlab"]}', '{"name": "Olga"}',
  '2021-05-06 07:08:09+00', '2021-05-06 07:08:09+00');

insert into auth.identities (id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
values
  ('0d000000-0000-4000-8000-000000000001', '0d000000-0000-4000-8000-000000000001',
    '{"sub": "0d000000-0000-4000-8000-000000000001", "email": "olga@example.test"}', 'email',
    '2021-05-06 07:08:09+00', '2021-05-06 07:08:09+00', '2021-05-06 07:08:09+00'),
  ('4711', '0d000000-0000-4000-8000-000000000001', '{"sub": "4711"}', 'gitlab',
    '2021-05-07 00:00:00+00', '2021-05-07 00:00:00+00', '2021-05-07 00:00:00+00');

insert into auth.sessions (id, user_id, created_at, updated_at)
values ('0d000000-0000-4000-8000-0000000000a1', '0d000000-0000-4000-8000-000000000001',
  '2021-05-06 07:08:09+00', '2021-05-06 07:08:09+00');

insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id)
values
  ('olgas4tokeno', '0d000000-0000-4000-8000-000000000001', true,
    '2021-05-06 07:08:09+00', '2021-05-06 08:08:09+00', null, '0d000000-0000-4000-8000-0000000000a1'),
  ('olgas2tokens', '0d000000-0000-4000-8000-000000000001', false,
    '2021-05-06 08:08:09+00', '2021-05-06 08:08:09+00', 'olgas4tokeno',
    '0d000000-0000-4000-8000-0000000000a1'),
  ('beforetheses', '0d000000-0000-4000-8000-000000000001', false,
    '2020-01-01 00:00:00+00', '2020-01-01 00:00:00+00', null, null);

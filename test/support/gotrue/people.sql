-- Users of every kind, as the other service stores them, in the tables of layout.sql. Every
-- password is "correct horse". Encrypted values use the key "key-2024": 32 times the byte 0x5a.

-- Users, with the last two digits of their ids.
--   01 ada   bcrypt, two identities, authenticator app, sessions   08 ivy   deleted softly
--   02 bob   argon2id, phone as well                               09 jon   anonymous
--   03 cleo  argon2i                                               10 kim   single sign-on, Ada's address
--   04 dan   scrypt of Firebase                                    11 leo   GitHub only, no password
--   05 eve   phone only, phone as a factor                         12 pia   a hash of no known scheme
--   06 fay   unconfirmed, a change of address pending              13 mia   all secrets encrypted
--   07 gus   banned for a century; 17 hal for ever                 14 nia   signed refresh tokens
--   15 oto   sessions that ended for every reason                  16 quin  security key, unverified app
insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
  phone, phone_confirmed_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', ('a0000000-0000-4000-8000-0000000000' || n)::uuid,
  'authenticated', 'authenticated', email, hash, case when email is not null then t end,
  phone, case when phone is not null then t end, t,
  jsonb_build_object('provider', provider, 'providers', jsonb_build_array(provider)), '{}', t, t
from (values
  ('01', 'ada@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', null, 'email'),
  ('02', 'bob@example.test', '$argon2id$v=19$m=64,t=1,p=1$oyhN75LLchjha9XiGGnFBQ$T45GK6Gb1HWG/o0Y8eCwKWw81DSpxEGlM9axeQIXzAo', '+4915112340002', 'email'),
  ('03', 'cleo@example.test', '$argon2i$v=19$m=64,t=1,p=1$/i0IwX8H4zhs7/G4qsOK5Q$a8X7TiTPY6sygCr6DBpmSLHcev4bH9QKLo/FDmnZaQU', null, 'email'),
  ('04', 'dan@example.test', '$fbscrypt$v=1,n=4,r=8,p=1,ss=Bw==,sk=O4+TWgD0o6G2hIRgAxrMEQuFuveaC0KIhSZwJ3JFJLg=$5pwON73Jo3slJ3YM$XKlPmGnvtx8mJc26Lqq+016AjJSvCzgGSq0apFk5u+o=', null, 'email'),
  ('05', null, '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', '4915112340005', 'phone'),
  ('06', 'fay@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', null, 'email'),
  ('07', 'gus@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', null, 'email'),
  ('08', 'XBTGV4-hashed-address', null, null, 'email'),
  ('09', null, null, null, null),
  ('11', 'leo@example.test', '', null, 'github'),
  ('12', 'pia@example.test', '$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk', null, 'email'),
  ('13', 'mia@example.test', '{"key_id":"key-2024","alg":"aes-gcm-hkdf","data":"QppvQ/omDU+jX9zWWwNd6MstlkQkbVZTBr1LbIxRfUUxGPTuzO6UTD3W0UqLsiIdlG1d/QFQs+a5eVB4TyZqRtV2gPV/ZsJ80QcSGA==","nonce":"GMuuo+Fs7gSIlb8i"}', null, 'email'),
  ('14', 'nia@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', null, 'email'),
  ('15', 'oto@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', null, 'email'),
  ('16', 'quin@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', null, 'email'),
  ('17', 'hal@example.test', '$2a$04$uKSxNkbPAR2vaSA9qr8ase7EkNrM3apGy6erhhBIWTMBHKLAkME/m', null, 'email')
) as person (n, email, hash, phone, provider), (values ('2025-06-01 10:00:00.123456+00'::timestamptz)) as at (t);

insert into auth.users (id, aud, role, email, raw_app_meta_data, raw_user_meta_data, is_sso_user,
  email_confirmed_at, created_at, updated_at)
values ('a0000000-0000-4000-8000-000000000010', 'authenticated', 'authenticated', 'ada@example.test',
  '{"provider": "sso:5550000-0000-4000-8000-000000000001"}', null, true, '2025-06-01 10:00:00+00',
  '2025-06-01 10:00:00+00', '2025-06-01 10:00:00+00');

update auth.users set role = 'editor', raw_user_meta_data = '{"full_name": "Ada Lovelace", "langs": ["en"]}',
  raw_app_meta_data = '{"provider": "email", "providers": ["email", "google"], "plan": "pro"}'
  where id = 'a0000000-0000-4000-8000-000000000001';
update auth.users set email_confirmed_at = null, confirmation_token = 'a-link-that-was-sent',
  confirmation_sent_at = '2026-02-28 10:00:00+00', email_change = 'fay@new.test',
  email_change_sent_at = '2026-02-28 11:00:00+00', email_change_confirm_status = 1
  where id = 'a0000000-0000-4000-8000-000000000006';
update auth.users set banned_until = '2126-01-01 00:00:00+00'
  where id = 'a0000000-0000-4000-8000-000000000007';
update auth.users set banned_until = 'infinity' where id = 'a0000000-0000-4000-8000-000000000017';
update auth.users set deleted_at = '2025-12-24 00:00:00+00', raw_app_meta_data = '{}'
  where id = 'a0000000-0000-4000-8000-000000000008';
update auth.users set is_anonymous = true, raw_app_meta_data = '{}', raw_user_meta_data = '{"cart": 3}'
  where id = 'a0000000-0000-4000-8000-000000000009';

insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select id::text, id, jsonb_build_object('sub', id, 'email', email, 'email_verified',
  email_confirmed_at is not null), 'email', created_at, created_at, created_at
from auth.users where email like '%@example.test' and not is_sso_user and email <> 'leo@example.test';
insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select id::text, id, jsonb_build_object('sub', id, 'phone', phone, 'phone_verified', true), 'phone',
  created_at, created_at, created_at
from auth.users where phone is not null;
insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
values
  ('1080', 'a0000000-0000-4000-8000-000000000001', '{"sub": "1080", "email": "Ada@Gmail.test", "iss": "https://accounts.google.com"}',
    'google', '2025-07-01 00:00:00+00', '2025-07-01 00:00:00+00', '2025-07-01 00:00:00+00'),
  ('583231', 'a0000000-0000-4000-8000-000000000011', '{"sub": "583231", "user_name": "leo"}',
    'github', '2025-06-01 10:00:00+00', '2025-06-01 10:00:00+00', '2025-06-01 10:00:00+00'),
  ('kim@corp', 'a0000000-0000-4000-8000-000000000010', '{"sub": "kim@corp", "email": "ada@example.test"}',
    'sso:55500000-0000-4000-8000-000000000001', null, '2025-06-01 10:00:00+00', '2025-06-01 10:00:00+00');

insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret,
  phone, last_challenged_at, web_authn_credential, web_authn_aaguid)
values
  ('f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Ada''s phone', 'totp', 'verified',
    '2025-06-02 00:00:00+00', '2025-06-02 00:01:00+00', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', null, '2026-01-01 00:00:00+00', null, null),
  ('f0000000-0000-4000-8000-000000000005', 'a0000000-0000-4000-8000-000000000005', 'SMS', 'phone', 'verified',
    '2025-06-02 00:00:00+00', '2025-06-02 00:01:00+00', null, '+4915112340005', '2026-01-01 00:00:01+00', null, null),
  ('f0000000-0000-4000-8000-000000000013', 'a0000000-0000-4000-8000-000000000013', '', 'totp', 'verified',
    '2025-06-02 00:00:00+00', '2025-06-02 00:01:00+00',
    '{"key_id":"key-2024","alg":"aes-gcm-hkdf","data":"06ctAuMbSGaqkzyDBbcUlfBKKR36KFHRIZMuMrjr2GrcnTm99A4GVXspqQ0Gynil","nonce":"fJiJRzcpsIIw+GhV"}',
    null, '2026-01-01 00:00:02+00', null, null),
  ('f0000000-0000-4000-8000-000000000116', 'a0000000-0000-4000-8000-000000000016', 'Key', 'webauthn', 'verified',
    '2025-06-02 00:00:00+00', '2025-06-02 00:01:00+00', null, null, '2026-01-01 00:00:03+00',
    '{"id": "a2V5", "publicKey": "cHVibGlj", "attestationType": "none", "authenticator": {"signCount": 4}}',
    'f8a011f3-8c0a-4d15-8006-17111f9edc7d'),
  ('f0000000-0000-4000-8000-000000000216', 'a0000000-0000-4000-8000-000000000016', 'App', 'totp', 'unverified',
    '2025-06-02 00:00:00+00', '2025-06-02 00:00:00+00', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', null, null, null, null);

-- OAuth clients: used, registered by itself, never used, deleted, and with a URI that is not permitted.
insert into auth.oauth_clients (id, client_secret_hash, registration_type, redirect_uris, grant_types, client_name,
  client_uri, created_at, deleted_at, client_type, token_endpoint_auth_method)
values
  ('0c000000-0000-4000-8000-000000000001', 'r6u1Hrt96IM_iUm2g2O6IVWDNo5fLdYkABhgsYsIx8M', 'manual',
    'https://client.example.test/cb,https://client.example.test/a,b', 'authorization_code,refresh_token', 'A client',
    'https://client.example.test', '2025-06-01 10:00:00.123+00', null, 'confidential', 'client_secret_post'),
  ('0c000000-0000-4000-8000-000000000002', null, 'dynamic', 'http://localhost:3000/cb', 'authorization_code',
    null, null, '2025-06-02 10:00:00+00', null, 'public', 'none'),
  ('0c000000-0000-4000-8000-000000000003', null, 'dynamic', 'http://localhost:3000/cb', 'authorization_code',
    null, null, '2025-06-03 10:00:00+00', null, 'public', 'none'),
  ('0c000000-0000-4000-8000-000000000004', null, 'manual', 'http://localhost:3000/cb', 'authorization_code',
    null, null, '2025-06-04 10:00:00+00', '2025-06-05 10:00:00+00', 'public', 'none'),
  ('0c000000-0000-4000-8000-000000000005', null, 'manual', 'http://client.example.test/cb', 'authorization_code',
    null, null, '2025-06-04 10:00:00+00', null, 'public', 'none');

insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at, revoked_at) values
  ('0e000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001',
    '0c000000-0000-4000-8000-000000000001', 'openid email', '2025-07-01 10:00:00+00', null),
  ('0e000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000001',
    '0c000000-0000-4000-8000-000000000002', 'email', '2025-07-02 10:00:00+00', null),
  ('0e000000-0000-4000-8000-000000000003', 'a0000000-0000-4000-8000-000000000002',
    '0c000000-0000-4000-8000-000000000001', 'email', '2025-07-03 10:00:00+00', '2025-07-04 10:00:00+00'),
  ('0e000000-0000-4000-8000-000000000004', 'a0000000-0000-4000-8000-000000000002',
    '0c000000-0000-4000-8000-000000000005', 'email', '2025-07-05 10:00:00+00', null);

-- Custom providers: OAuth 2.0, OpenID Connect with an encrypted secret, and one with a private address.
insert into auth.custom_oauth_providers (id, provider_type, identifier, name, client_id, client_secret, scopes,
  attribute_mapping, issuer, cached_discovery, authorization_url, token_url, userinfo_url)
values
  ('0d000000-0000-4000-8000-000000000001', 'oauth2', 'custom:club', 'Club', 'club-client', 'club-secret',
    '{profile}', '{"full_name": "display_name"}', null, null, 'https://93.184.216.34/authorize',
    'https://93.184.216.34/token', 'https://93.184.216.34/me'),
  ('0d000000-0000-4000-8000-000000000002', 'oidc', 'custom:sso', 'SSO', 'sso-client',
    '{"key_id":"key-2024","alg":"aes-gcm-hkdf","data":"eSsXy3G8CMO8oa1jtEgF0sBNpwYnHgr0AEk=","nonce":"AQIDBAUGBwgJCgsM"}',
    '{}', '{}', 'https://93.184.216.34', '{"issuer": "https://93.184.216.34",
      "authorization_endpoint": "https://93.184.216.34/authorize", "token_endpoint": "https://93.184.216.34/token",
      "jwks_uri": "https://93.184.216.34/keys"}', null, null, null),
  ('0d000000-0000-4000-8000-000000000003', 'oauth2', 'custom:private', 'Private', 'private', 'secret',
    '{}', '{}', null, null, 'https://10.0.0.1/authorize', 'https://10.0.0.1/token', 'https://10.0.0.1/me');

-- Sessions: the digits before the last two of an id count those of one user.
insert into auth.sessions (id, user_id, created_at, updated_at, factor_id, aal, not_after, refreshed_at,
  user_agent, ip, tag, oauth_client_id, refresh_token_hmac_key, refresh_token_counter)
select ('c0000000-0000-4000-8000-000000000' || n)::uuid, ('a0000000-0000-4000-8000-0000000000' || right(n, 2))::uuid,
  '2026-02-01 00:00:00.5+00', '2026-02-01 00:00:00.5+00', factor_id::uuid, aal::auth.aal_level, not_after::timestamptz,
  refreshed_at::timestamp, 'a browser', ip::inet, tag, client::uuid, key, counter
from (values
  -- Ada: renewed twice, proved by her app; a second one, whose tabs hold two good tokens.
  ('001', 'f0000000-0000-4000-8000-000000000001', 'aal2', null, '2026-02-28 08:00:00.25', '203.0.113.1', 'web', null, null, null),
  ('101', null, 'aal1', null, '2026-02-20 08:00:00', '2001:db8::1', null, null, null, null),
  ('005', null, 'aal1', null, null, null, null, null, null, null),
  ('007', null, 'aal1', null, null, null, null, null, null, null),
  ('009', null, 'aal1', null, null, null, null, null, null, null),
  ('010', null, 'aal1', '2126-01-01 00:00:00+00', null, null, null, null, null, null),
  ('013', null, 'aal1', null, '2026-02-28 08:00:00', null, null, null,
    '{"key_id":"key-2024","alg":"aes-gcm-hkdf","data":"1hEDPp1kQHoQ4s5NABGHvEYosVSfTUC8BqvMZbKbCubU8dilupEsTPwBhm7hYOOIPc3MTPJ2MMaYIbQ=","nonce":"iU8jc4nIWZ2q01Jg"}', 3),
  -- Nia: renewed by signed tokens; never renewed; moved from a row to a signed token.
  ('014', null, 'aal1', null, '2026-02-28 08:00:00', null, null, null, 'FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQ', 300),
  ('114', null, 'aal1', null, null, null, null, null, 'FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQ', 0),
  ('214', null, 'aal1', null, '2026-02-28 08:00:00', null, null, null, 'FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQ', 1),
  -- Oto: over; all tokens revoked; without any; of another application.
  ('015', null, 'aal1', '2026-02-02 00:00:00+00', null, null, null, null, null, null),
  ('115', null, 'aal1', null, '2026-02-10 00:00:00', null, null, null, null, null),
  ('215', null, 'aal1', null, null, null, null, null, null, null),
  ('315', null, 'aal1', null, null, null, null, '0c000000-0000-4000-8000-000000000001', null, null)
) as session (n, factor_id, aal, not_after, refreshed_at, ip, tag, client, key, counter);

insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method)
select id, created_at, created_at, case when id::text like '%09' then 'anonymous' when id::text like '%10' then 'sso/saml'
  when id::text like '%014' then 'otp' else 'password' end
from auth.sessions;
insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method)
values ('c0000000-0000-4000-8000-000000000001', '2026-02-01 00:01:00+00', '2026-02-01 00:02:00+00', 'totp');

insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, parent, session_id)
select token, 'a0000000-0000-4000-8000-0000000000' || right(n, 2), revoked, at::timestamptz, at::timestamptz,
  parent, ('c0000000-0000-4000-8000-000000000' || n)::uuid
from (values
  ('001', 'adafirst2222', true, '2026-02-01 00:00:01+00', null),
  ('001', 'adasecond222', true, '2026-02-20 08:00:00+00', 'adafirst2222'),
  ('001', 'adathird2222', false, '2026-02-28 08:00:00+00', 'adasecond222'),
  ('101', 'adaforkroot2', true, '2026-02-20 07:00:00+00', null),
  ('101', 'adaforkone22', false, '2026-02-20 08:00:00+00', 'adaforkroot2'),
  ('101', 'adaforktwo22', false, '2026-02-20 08:00:05+00', 'adaforkroot2'),
  ('005', 'evesfirst222', false, '2026-02-01 00:00:01+00', null),
  ('007', 'gussfirst222', false, '2026-02-01 00:00:01+00', null),
  ('009', 'jonsfirst222', false, '2026-02-01 00:00:01+00', null),
  ('010', 'kimsfirst222', false, '2026-02-01 00:00:01+00', null),
  ('214', 'niaupgraded2', true, '2026-02-27 08:00:00+00', null),
  ('015', 'otosover2222', false, '2026-02-01 00:00:01+00', null),
  ('115', 'otosrevoked2', true, '2026-02-10 00:00:00+00', null),
  ('315', 'otosoauth222', false, '2026-02-01 00:00:01+00', null)
) as token (n, token, revoked, at, parent);
insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at)
values ('nosession222', 'a0000000-0000-4000-8000-000000000001', false, '2020-01-01 00:00:00+00', '2020-01-01 00:00:00+00');

insert into auth.one_time_tokens (user_id, token_type, token_hash, relates_to)
values ('a0000000-0000-4000-8000-000000000006', 'confirmation_token', 'a-link-that-was-sent', 'fay@example.test');
insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count,
  transports, backup_eligible, backed_up, friendly_name, created_at, updated_at)
values ('e0000000-0000-4000-8000-000000000016', 'a0000000-0000-4000-8000-000000000016', '\x01', '\x02', 'none',
  'f8a011f3-8c0a-4d15-8006-17111f9edc7d', 3, '["internal"]', true, true, 'Phone', '2025-06-02 00:00:00+00',
  '2025-06-02 00:01:00+00');
insert into auth.sso_providers (id) values ('55500000-0000-4000-8000-000000000001');
insert into auth.audit_log_entries (id, payload, created_at)
values (gen_random_uuid(), '{"action": "login"}', '2026-02-01 00:00:00+00');

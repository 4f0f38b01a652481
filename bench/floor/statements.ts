import type { QueryConfig } from 'pg'

/** The user in a response, built by PostgreSQL so that the server only passes it on. */
const user = `json_build_object(
  'id', u.id, 'aud', 'authenticated', 'role', 'authenticated', 'email', u.email, 'phone', '',
  'email_confirmed_at', u.confirmed_at, 'confirmed_at', u.confirmed_at,
  'last_sign_in_at', u.last_sign_in_at, 'app_metadata', u.app_metadata,
  'user_metadata', u.user_metadata, 'created_at', u.created_at, 'updated_at', u.updated_at,
  'is_anonymous', false, 'identities', (
    select json_agg(json_build_object(
      'identity_id', i.id, 'id', i.user_id, 'user_id', i.user_id, 'provider', i.provider,
      'identity_data', i.identity_data, 'created_at', i.created_at, 'updated_at', i.updated_at))
    from floor.identities i where i.user_id = u.id))`

const trail = (action: number, ip: string, source: string): string =>
  `insert into floor.audit (id, created_at, action, actor_id, ip)
    select uuidv7(), now(), ${action}, ${source}.user_id, ${ip} from ${source}`

type Statement = (...values: (string | number | null)[]) => QueryConfig

const statement =
  (name: string, text: string): Statement =>
  (...values) => ({ name, text, values })

/** Email, hash, session id, ip, user agent. */
export const signUp = statement(
  'sign_up',
  `with u as (
    insert into floor.users
    values (gen_random_uuid(), $1::text, $2, '{"provider": "email", "providers": ["email"]}',
      jsonb_build_object('email', $1::text, 'email_verified', true), now(), now(), now(), now())
    returning *, id as user_id
  ), i as (
    insert into floor.identities
    select gen_random_uuid(), id, 'email', user_metadata || jsonb_build_object('sub', id), now(), now()
    from u returning *
  ), s as (
    insert into floor.sessions select $3::uuid, id, 0, null, $4::inet, $5, now() from u
  ), a as (${trail(1, '$4::inet', 'u')})
  select ${user.replace('from floor.identities i', 'from i')} as "user" from u`,
)

/** Email. */
export const findPassword = statement(
  'find_password',
  `select ${user} as "user", u.password_hash from floor.users u where u.email = $1`,
)

/** User id, session id, ip, user agent. */
export const openSession = statement(
  'open_session',
  `with u as (
    update floor.users set last_sign_in_at = now() where id = $1 returning id as user_id
  ), s as (
    insert into floor.sessions select $2::uuid, user_id, 0, null, $3::inet, $4, now() from u
  ) ${trail(2, '$3::inet', 'u')}`,
)

/** Session id, counter, ip, user agent. */
export const refresh = statement(
  'refresh',
  `with s as (
    update floor.sessions set counter = counter + 1, refreshed_at = now(), ip = $3::inet, user_agent = $4
    where id = $1 and counter = $2::int returning user_id
  ), a as (${trail(3, '$3::inet', 's')})
  select ${user} as "user" from s join floor.users u on u.id = s.user_id`,
)

/** User id, session id. */
export const findUser = statement(
  'find_user',
  `select ${user} as "user" from floor.sessions s join floor.users u on u.id = s.user_id
  where s.id = $2 and u.id = $1`,
)

/** User id, session id, ip. */
export const signOut = statement(
  'sign_out',
  `with caller as (
    select user_id from floor.sessions where user_id = $1 and id = $2
  ), gone as (
    delete from floor.sessions s using caller c where s.user_id = c.user_id
  ), a as (${trail(4, '$3::inet', 'caller')})
  select user_id from caller`,
)

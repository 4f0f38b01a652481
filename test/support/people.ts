import { givenOauthGrant } from './oauth-clients.ts'
import { givenPasskey } from './passkeys.ts'
import type { GivenSession, TestAuth } from './test-auth.ts'
import { testPassword } from './test-auth.ts'
import { givenTrustedDevice } from './trusted-devices.ts'

/** A user with rows in every table, and the values that identify the user. */
export interface GivenPerson extends GivenSession {
  email: string
  newEmail: string
  phone: string
  name: string
  ip: string
  userAgent: string
}

let people = 0

/** Creates a user who performs everything once, on a service that sends messages. */
export async function givenPerson(auth: TestAuth): Promise<GivenPerson> {
  const number = ++people
  const person = {
    email: `person${number}@traces.test`,
    newEmail: `renamed${number}@traces.test`,
    phone: `49155000${number}`,
    name: `Ada ${number} Lovelace`,
    ip: `198.51.100.${number}`,
    userAgent: `Browser-${number}/1.0`,
  }
  const { email, newEmail, phone, name: fullName, ip, userAgent } = person
  const from = { ip, headers: { 'user-agent': userAgent } }
  const credentials = { email, password: testPassword }
  const signIn = (password: string) =>
    auth.post('/token?grant_type=password', { email, password }, from)

  const { id } = await auth.auth.admin.createUser({
    ...credentials,
    phone,
    emailConfirm: true,
    phoneConfirm: true,
    userMetadata: { full_name: fullName },
  })
  await signIn('a wrong password')
  const { body: first } = await signIn(testPassword)
  const { body: session } = await auth.post(
    '/token?grant_type=refresh_token',
    { refresh_token: first.refresh_token },
    from,
  )
  // One more wrong password, after the sign-in, from the network of the user.
  await signIn('a wrong password')
  const token = session.access_token
  const challenge = { code_challenge: 'c'.repeat(43), code_challenge_method: 's256' }
  await auth.put('/user', { email: newEmail }, { token, ...from })
  await auth.get('/reauthenticate', { token, ...from })
  await auth.post('/otp', { email, ...challenge }, from)
  await auth.post('/verify', { type: 'email', email, token: '000000' }, from)
  await auth.post('/signup', credentials, from)
  await auth.auth.admin.updateUser(id, { role: 'member' })
  const app = { factor_type: 'totp', friendly_name: `${fullName}'s phone` }
  const { body: factor } = await auth.post('/factors', app, { token, ...from })
  await auth.post(`/factors/${factor.id}/challenge`, {}, { token, ...from })
  // A recovery code of an unverified factor, so that no request requires `aal2`.
  await auth.rows(
    `insert into auth.recovery_codes (id, factor_id, code_hash, created_at)
      values (gen_random_uuid(), $1, repeat('r', 64), $2)`,
    [factor.id, auth.clock.now().toISOString()],
  )
  await givenPasskey(auth, id)
  await givenTrustedDevice(auth, id)
  await givenOauthGrant(auth, id)
  // The row of an interrupted registration.
  await auth.rows(
    `insert into auth.web_authn_challenges (id, purpose, user_id, challenge_hash, expires_at, created_at)
      values (gen_random_uuid(), 'registration', $1, repeat('c', 64), $2, $2)`,
    [id, auth.clock.now().toISOString()],
  )
  // The row of a link of a PKCE request.
  await auth.rows(
    `insert into auth.authorization_codes
      (id, user_id, code_hash, code_challenge, code_challenge_method, method, sealed_tokens, expires_at, created_at)
     select gen_random_uuid(), $1::uuid, md5($1::text), 'x', 's256',
      'magiclink', null, $2, $2`,
    [id, auth.clock.now().toISOString()],
  )
  // The row of an interrupted linking of an identity.
  await auth.rows(
    `insert into auth.oauth_states
      (id, provider, redirect_to, redirect_uri, audience, linking_user_id, expires_at, created_at)
      values (gen_random_uuid(), 'github', 'https://app.example.test', 'https://app.example.test/callback',
        'authenticated', $1, $2, $2)`,
    [id, auth.clock.now().toISOString()],
  )
  // The row of a sign-in through a provider whose tokens are stored.
  await auth.rows(
    `insert into auth.provider_tokens (identity_id, sealed_access_token, created_at, updated_at)
      select id, 'sealed', $2, $2 from auth.identities where user_id = $1 limit 1`,
    [id, auth.clock.now().toISOString()],
  )
  // The row of an import from another service.
  await auth.rows(
    `insert into auth.imported_users values ($1, 'a digest of ' || $2::text, now())`,
    [id, fullName],
  )
  await auth.rows(
    `insert into auth.imported_tokens select md5(id::text), id from auth.sessions where user_id = $1`,
    [id],
  )
  const user = await auth.auth.admin.getUser(id)
  return { user, accessToken: token, refreshToken: session.refresh_token, ...person }
}

/** Kept so that an erased user is not imported again: see `personal-users.ts`. */
const keptOnPurpose = 'imported_users.id'

/** Returns the tables and columns that contain any of these words, except the kept one. */
export async function placesOf(auth: TestAuth, words: readonly string[]): Promise<string[]> {
  const columns = await auth.rows<{ table: string; column: string }>(
    `select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'auth'`,
  )
  const places: string[] = []
  for (const { table, column } of columns) {
    const found = await auth.rows(
      `select 1 from auth."${table}" where exists (
        select from jsonb_array_elements_text($1) word where position(word in "${column}"::text) > 0)`,
      [JSON.stringify(words)],
    )
    if (found.length > 0) places.push(`${table}.${column}`)
  }
  return places.filter((place) => place !== keptOnPurpose).toSorted()
}

/** Returns all values that identify a user. */
export const wordsOf = (person: GivenPerson): string[] => [
  person.user.id,
  person.email,
  person.newEmail,
  person.phone,
  person.name,
  person.ip,
  person.userAgent,
]

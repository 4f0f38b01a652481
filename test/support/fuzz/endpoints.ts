import { testPassword } from '../test-auth.ts'
import type { Dice } from './dice.ts'
import type { FuzzWorld } from './fuzz-world.ts'
import { canary, phoneCanary, storableObject, storableText } from './odd-values.ts'

/** How an endpoint is asked for what it is there for. */
export interface Endpoint {
  path(world: FuzzWorld, dice: Dice): string
  /** A body that passes; left out where none is read. */
  body?(world: FuzzWorld, dice: Dice): Record<string, unknown>
  /** A bearer token that passes; left out where none is asked for. */
  token?(world: FuzzWorld, dice: Dice): string | Promise<string>
}

let made = 0
const newEmail = () => `${canary}.${made++}@example.test`
const newPhone = () => `${phoneCanary}${String(made++).padStart(5, '0')}`

const goodPassword = (dice: Dice): string =>
  `${canary}${dice.pick(['', ' ', 'é', '👩‍👩‍👧', '\u0001', '"\\', 'x'.repeat(1000), 'ü'.repeat(500)])}`

const uuid = (dice: Dice): string =>
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => dice.below(16).toString(16))

const newUser = (_: FuzzWorld, dice: Dice) => ({
  ...(dice.chance(80) ? { email: newEmail() } : { phone: newPhone() }),
  ...(dice.chance(30) && { password: goodPassword(dice) }),
  ...(dice.chance(20) && { password_hash: dice.pick(passwordHashes) }),
  ...(dice.chance(20) && { aud: storableText(dice) }),
  ...changes(dice),
})

const passwordHashes = [
  '',
  canary,
  '$',
  '$argon2id$',
  '$2b$10$',
  `$2b$10$${'a'.repeat(53)}`,
  '$scrypt$ln=16,r=8,p=1$a$a',
  ...['', 'v=19$'].map((it) => `$argon2id$${it}m=64,t=1,p=1$c2FsdHNhbHQ$${'aGFzaA'.repeat(7)}a`),
  ...['m=4294967295,t=1,p=1', 'm=8,t=4294967295,p=1', 'm=x,t=y,p=z', 'm=-1,t=0,p=0'].map(
    (cost) => `$argon2id$v=19$${cost}$c2FsdHNhbHQ$aGFzaA`,
  ),
]

const banDurations = [
  'none',
  '0',
  '-0',
  '24h',
  '1h30m',
  '.5ms',
  '-1h',
  '',
  '1h'.repeat(1000),
  '9'.repeat(400).concat('h'),
  '-87600000h',
  '70000000h',
  '-57000000h',
  '99999999999999h',
  '1ns',
  '+5m',
]

const changes = (dice: Dice) => ({
  ...(dice.chance(30) && { role: storableText(dice) }),
  ...(dice.chance(30) && { email_confirm: dice.chance(50), phone_confirm: dice.chance(50) }),
  ...(dice.chance(30) && {
    ban_duration: dice.pick(banDurations),
  }),
  ...(dice.chance(40) && { user_metadata: storableObject(dice) }),
  ...(dice.chance(40) && {
    app_metadata: { ...storableObject(dice), provider: storableText(dice) },
  }),
})

const oneOf = (userIds: readonly string[], dice: Dice) => dice.pick(userIds)

const verificationTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email',
  'email_change',
  'sms',
  'phone_change',
]

const hexadecimal = (dice: Dice): string =>
  'x'.repeat(56).replace(/x/g, () => dice.below(16).toString(16))

const address = (emails: readonly string[], dice: Dice) =>
  dice.chance(30)
    ? { phone: newPhone() }
    : { email: dice.chance(50) ? dice.pick(emails) : newEmail() }

const pkce = (dice: Dice) =>
  dice.chance(30) && {
    code_challenge: hexadecimal(dice),
    code_challenge_method: dice.pick(['s256', 'plain', 'S256']),
  }

const redirect = (dice: Dice): string =>
  dice.chance(40) ? `?redirect_to=${encodeURIComponent(storableText(dice))}` : ''

/** Every endpoint of the service, as its route is registered. */
export const endpoints: Record<string, Endpoint> = {
  'GET /health': { path: () => '/health' },
  'GET /settings': { path: () => '/settings' },
  'GET /.well-known/jwks.json': { path: () => '/.well-known/jwks.json' },
  'GET /.well-known/openid-configuration': { path: () => '/.well-known/openid-configuration' },
  'POST /signup': {
    path: () => '/signup',
    body: (_, dice) => ({
      ...(dice.chance(80) ? { email: newEmail() } : { phone: newPhone(), channel: 'sms' }),
      password: goodPassword(dice),
      ...(dice.chance(60) && { data: storableObject(dice) }),
      gotrue_meta_security: {},
      code_challenge: null,
      code_challenge_method: null,
    }),
  },
  'POST /token': {
    path: (_, dice) => `/token?grant_type=${dice.pick(['password', 'refresh_token', 'pkce'])}`,
    body: ({ emails, refreshToken }, dice) => ({
      email: dice.chance(80) ? dice.pick(emails) : newEmail(),
      password: dice.chance(50) ? testPassword : goodPassword(dice),
      refresh_token: refreshToken,
      ...(dice.chance(50) && { auth_code: uuid(dice), code_verifier: hexadecimal(dice) }),
    }),
  },
  'POST /otp': {
    path: (_, dice) => `/otp${redirect(dice)}`,
    body: ({ emails }, dice) => ({
      ...address(emails, dice),
      ...(dice.chance(30) && { create_user: dice.chance(50) }),
      ...(dice.chance(50) && { data: storableObject(dice) }),
      ...pkce(dice),
    }),
  },
  'POST /magiclink': {
    path: (_, dice) => `/magiclink${redirect(dice)}`,
    body: ({ emails }, dice) => ({
      email: dice.chance(50) ? dice.pick(emails) : newEmail(),
      ...(dice.chance(50) && { data: storableObject(dice) }),
      ...pkce(dice),
    }),
  },
  'POST /recover': {
    path: (_, dice) => `/recover${redirect(dice)}`,
    body: ({ emails }, dice) => ({
      email: dice.chance(80) ? dice.pick(emails) : newEmail(),
      ...pkce(dice),
    }),
  },
  'POST /resend': {
    path: (_, dice) => `/resend${redirect(dice)}`,
    body: ({ emails }, dice) => ({
      ...dice.pick([
        { type: 'signup', email: dice.pick(emails) },
        { type: 'email_change', email: dice.pick(emails) },
        { type: 'phone_change', email: dice.pick(emails) },
        { type: 'sms', phone: newPhone() },
      ]),
    }),
  },
  'GET /verify': {
    path: (_, dice) =>
      `/verify?type=${dice.pick(verificationTypes)}&token=${dice.pick(['', 'pkce_'])}${hexadecimal(dice)}`,
  },
  'POST /verify': {
    path: () => '/verify',
    body: ({ emails }, dice) => ({
      type: dice.pick(verificationTypes),
      ...(dice.chance(50)
        ? { token_hash: hexadecimal(dice) }
        : { token: String(100_000 + dice.below(900_000)), ...address(emails, dice) }),
      ...(dice.chance(20) && { password: goodPassword(dice) }),
    }),
  },
  'GET /reauthenticate': {
    path: () => '/reauthenticate',
    token: (world, dice) => world.userToken(dice),
  },
  'POST /logout': {
    path: (_, dice) => `/logout?scope=${dice.pick(['', 'global', 'local', 'others'])}`,
    token: (world, dice) => (dice.chance(10) ? world.newSession() : world.userToken(dice)),
  },
  'GET /user': { path: () => '/user', token: (world, dice) => world.userToken(dice) },
  'PUT /user': {
    path: () => '/user',
    token: (world, dice) => world.userToken(dice),
    body: (_, dice) => ({
      ...(dice.chance(30) && { password: goodPassword(dice) }),
      ...(dice.chance(70) && { data: storableObject(dice) }),
      ...(dice.chance(20) && { nonce: storableText(dice), current_password: canary, email: '' }),
      ...(dice.chance(20) && { email: newEmail() }),
      ...(dice.chance(20) && { phone: newPhone(), channel: 'sms' }),
    }),
  },
  'POST /factors': {
    path: () => '/factors',
    token: ({ factor }) => factor.token,
    body: (_, dice) => ({
      factor_type: dice.pick(['totp', 'totp', 'phone', 'webauthn']),
      ...(dice.chance(80) && { friendly_name: storableText(dice) }),
      ...(dice.chance(30) && { issuer: storableText(dice) }),
      ...(dice.chance(50) && { phone: newPhone() }),
    }),
  },
  'POST /factors/:factor_id/challenge': {
    path: ({ factor }, dice) =>
      `/factors/${dice.chance(95) ? factor.factorId : uuid(dice)}/challenge`,
    token: ({ factor }) => factor.token,
    body: ({ factor }, dice) => ({
      factorId: factor.factorId,
      ...(dice.chance(30) && { channel: dice.pick(['sms', 'whatsapp', storableText(dice)]) }),
    }),
  },
  'POST /factors/:factor_id/verify': {
    path: ({ factor }, dice) => `/factors/${dice.chance(95) ? factor.factorId : uuid(dice)}/verify`,
    token: ({ factor }) => factor.token,
    body: ({ factor }, dice) => ({
      challenge_id: dice.chance(80) ? factor.challengeId : uuid(dice),
      code: dice.chance(50) ? String(dice.below(1_000_000)) : storableText(dice),
    }),
  },
  'DELETE /factors/:factor_id': {
    // What is there goes at the first time.
    path: ({ factor }, dice) => `/factors/${dice.chance(50) ? factor.factorId : uuid(dice)}`,
    token: ({ factor }) => factor.token,
  },
  'POST /invite': {
    path: (_, dice) => `/invite${redirect(dice)}`,
    token: (world) => world.serviceToken,
    body: (_, dice) => ({
      email: newEmail(),
      ...(dice.chance(50) && { data: storableObject(dice) }),
    }),
  },
  'POST /admin/generate_link': {
    path: (_, dice) => `/admin/generate_link${redirect(dice)}`,
    token: (world) => world.serviceToken,
    body: ({ emails }, dice) => ({
      ...dice.pick([
        { type: 'signup', email: newEmail(), password: goodPassword(dice) },
        { type: 'invite', email: newEmail() },
        { type: 'magiclink', email: dice.pick(emails) },
        { type: 'recovery', email: dice.pick(emails) },
        { type: 'email_change_new', email: dice.pick(emails), new_email: newEmail() },
        { type: 'email_change_current', email: dice.pick(emails), new_email: newEmail() },
      ]),
      ...(dice.chance(50) && { data: storableObject(dice) }),
      ...(dice.chance(30) && { send_email: dice.chance(50) }),
    }),
  },
  'GET /admin/users': {
    path: (_, dice) => {
      const query = new URLSearchParams({
        page: dice.pick(['', '0', '1', '2', '999999999']),
        per_page: dice.pick(['', '1', '10000']),
        sort: dice.pick(['', 'created_at', 'created_at ASC']),
        filter: dice.chance(50) ? '' : storableText(dice),
      })
      return `/admin/users?${query}`
    },
    token: (world) => world.serviceToken,
  },
  'POST /admin/users': {
    path: () => '/admin/users',
    token: (world) => world.serviceToken,
    body: newUser,
  },
  'POST /admin/users/:user_id': {
    path: (_, dice) => `/admin/users/${uuid(dice)}`,
    token: (world) => world.serviceToken,
    body: newUser,
  },
  'GET /admin/users/:user_id': {
    path: ({ userIds }, dice) =>
      `/admin/users/${dice.chance(90) ? oneOf(userIds, dice) : uuid(dice)}`,
    token: (world) => world.serviceToken,
  },
  'PUT /admin/users/:user_id': {
    path: ({ userIds }, dice) =>
      `/admin/users/${dice.chance(95) ? oneOf(userIds, dice) : uuid(dice)}`,
    token: (world) => world.serviceToken,
    body: (_, dice) => ({
      ...(dice.chance(20) && { email: newEmail() }),
      ...(dice.chance(20) && { phone: newPhone() }),
      ...(dice.chance(20) && { password: goodPassword(dice) }),
      ...changes(dice),
    }),
  },
  'DELETE /admin/users/:user_id': {
    // Who is deleted is asked for again: most are unknown, some are hidden, few are there.
    path: ({ userIds }, dice) =>
      `/admin/users/${dice.chance(50) ? oneOf(userIds, dice) : uuid(dice)}`,
    token: (world) => world.serviceToken,
    body: (_, dice) => (dice.chance(2) ? {} : { should_soft_delete: true }),
  },
  'GET /admin/users/:user_id/factors': {
    path: ({ userIds }, dice) =>
      `/admin/users/${dice.chance(90) ? oneOf(userIds, dice) : uuid(dice)}/factors`,
    token: (world) => world.serviceToken,
  },
  'PUT /admin/users/:user_id/factors/:factor_id': {
    path: ({ factor: { userId, factorId } }, dice) =>
      `/admin/users/${userId}/factors/${dice.chance(95) ? factorId : uuid(dice)}`,
    token: (world) => world.serviceToken,
    body: (_, dice) => ({
      ...(dice.chance(80) && { friendly_name: storableText(dice) }),
      ...(dice.chance(30) && { phone: newPhone() }),
    }),
  },
  'DELETE /admin/users/:user_id/factors/:factor_id': {
    path: ({ factor: { userId, factorId } }, dice) =>
      `/admin/users/${userId}/factors/${dice.chance(50) ? factorId : uuid(dice)}`,
    token: (world) => world.serviceToken,
  },
  'GET /admin/audit': {
    path: (_, dice) => {
      const scope = dice.pick(['author:', 'action:', 'type:'])
      const query = dice.chance(30) ? '' : scope + storableText(dice)
      return `/admin/audit?${new URLSearchParams({ query, per_page: '2' })}`
    },
    token: (world) => world.serviceToken,
  },
}

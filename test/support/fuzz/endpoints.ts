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
  ...[
    '',
    canary,
    '$',
    '$argon2id$',
    '$2b$10$',
    `$2b$10$${'a'.repeat(53)}`,
    '$scrypt$ln=16,r=8,p=1$a$a',
  ],
  ...['', 'v=19$'].map((it) => `$argon2id$${it}m=64,t=1,p=1$c2FsdHNhbHQ$${'aGFzaA'.repeat(7)}a`),
  ...['m=4294967295,t=1,p=1', 'm=8,t=4294967295,p=1', 'm=x,t=y,p=z', 'm=-1,t=0,p=0'].map(
    (cost) => `$argon2id$v=19$${cost}$c2FsdHNhbHQ$aGFzaA`,
  ),
]

const banDurations = [
  ...[
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
  ],
  ...['-87600000h', '70000000h', '-57000000h', '99999999999999h', '1ns', '+5m'],
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
    path: (_, dice) => `/token?grant_type=${dice.pick(['password', 'refresh_token'])}`,
    body: ({ emails, refreshToken }, dice) => ({
      email: dice.chance(80) ? dice.pick(emails) : newEmail(),
      password: dice.chance(50) ? testPassword : goodPassword(dice),
      refresh_token: refreshToken,
    }),
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
  'GET /admin/audit': {
    path: (_, dice) => {
      const scope = dice.pick(['author:', 'action:', 'type:'])
      const query = dice.chance(30) ? '' : scope + storableText(dice)
      return `/admin/audit?${new URLSearchParams({ query, per_page: '2' })}`
    },
    token: (world) => world.serviceToken,
  },
}

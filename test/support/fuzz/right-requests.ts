import type { Endpoint } from '../../../src/endpoints/http/endpoint.ts'
import { guardsOf } from '../../../src/endpoints/http/guards.ts'
import {
  type FieldKind,
  type FieldKinds,
  Flag,
  List,
  Metadata,
  Uuid,
  Whole,
  wireNameOf,
} from '../../../src/platform/http/inputs.ts'
import { testPassword } from '../test-auth.ts'
import { walletMessage } from '../wallets.ts'
import type { Dice } from './dice.ts'
import type { FuzzWorld } from './fuzz-world.ts'
import { canary, phoneCanary, storableObject, storableText } from './odd-values.ts'

// Valid requests to an endpoint, made from its description. A new field is filled by its kind, or
// by its name where most values of the kind would be rejected.

type Value = (world: FuzzWorld, dice: Dice) => unknown

let made = 0
const newEmail = () => `${canary}.${made++}@example.test`
const newPhone = () => `${phoneCanary}${String(made++).padStart(5, '0')}`

const goodPassword = (dice: Dice): string =>
  `${canary}${dice.pick(['', ' ', 'é', '👩‍👩‍👧', '\u0001', '"\\', 'x'.repeat(1000), 'ü'.repeat(500)])}`

const uuid = (dice: Dice): string =>
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => dice.below(16).toString(16))

const hexadecimal = (dice: Dice): string =>
  'x'.repeat(56).replace(/x/g, () => dice.below(16).toString(16))

const digits = (dice: Dice): string => String(100_000 + dice.below(900_000))

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

const wallets = [
  { chain: 'solana', address: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM' },
  { chain: 'ethereum', address: `0x${'a1'.repeat(20)}` },
] as const

/** @see RFC 7517, appendix A.1 */
const publicKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}

/** Values by the names on the wire. */
const valuesByName: Readonly<Record<string, Value>> = {
  acceptable_client_ids: () => ['ios-app'],
  attribute_mapping: (_, dice) => dice.pick([{}, { full_name: 'display_name' }, { team: 1 }]),
  authorization_params: (_, dice) => dice.pick([{}, { access_type: 'offline' }]),
  authorization_url: () => 'https://93.184.216.34/authorize',
  custom_claims_allowlist: () => ['groups'],
  identifier: () => `custom:club-${made++}`,
  provider_type: () => 'oauth2',
  scopes: () => ['profile', 'email'],
  token_url: () => 'https://93.184.216.34/token',
  userinfo_url: () => 'https://93.184.216.34/me',
  app_metadata: (_, dice) => ({ ...storableObject(dice), provider: storableText(dice) }),
  auth_code: (_, dice) => uuid(dice),
  ban_duration: (_, dice) => (dice.chance(70) ? '24h' : dice.pick(banDurations)),
  challenge_id: ({ factor }, dice) =>
    dice.pick([factor.challengeId, factor.challengeId, factor.key.challengeId, uuid(dice)]),
  channel: (_, dice) => dice.pick(['sms', 'sms', 'whatsapp', storableText(dice)]),
  code: ({ factor }, dice) =>
    dice.pick([digits(dice), digits(dice), dice.pick(factor.recoveryCodes), storableText(dice)]),
  code_challenge: (_, dice) => hexadecimal(dice),
  code_challenge_method: (_, dice) => dice.pick(['s256', 'plain', 'S256']),
  code_verifier: (_, dice) => hexadecimal(dice),
  current_password: () => canary,
  email: ({ emails }, dice) => (dice.chance(50) ? dice.pick(emails) : newEmail()),
  id: (_, dice) => uuid(dice),
  message: (_, dice) =>
    walletMessage(dice.pick(wallets), new Date(), { statement: storableText(dice) }),
  new_email: newEmail,
  backchannel_logout_uri: () => 'https://client.example.test/ended',
  allowed_scopes: () => ['email'],
  client_type: () => 'confidential',
  client_uri: () => 'https://client.example.test',
  grant_types: () => ['authorization_code', 'refresh_token'],
  jwks: () => ({ keys: [publicKey] }),
  jwks_uri: () => 'https://client.example.test/keys',
  logo_uri: () => 'https://client.example.test/logo.png',
  post_logout_redirect_uris: () => ['https://client.example.test/signed-out'],
  redirect_uris: () => ['https://client.example.test/callback'],
  response_types: () => ['code'],
  token_endpoint_auth_method: (_, dice) => dice.pick(['client_secret_post', 'client_secret_basic']),
  page: (_, dice) => dice.pick(['', 0, 1, 2, 999_999_999]),
  password: (_, dice) => (dice.chance(50) ? testPassword : goodPassword(dice)),
  password_hash: (_, dice) => dice.pick(passwordHashes),
  per_page: (_, dice) => dice.pick(['', 1, 2, 10_000]),
  phone: newPhone,
  provider: (_, dice) => dice.pick(['github', 'keycloak', 'GitHub']),
  query: (_, dice) =>
    dice.pick(['', `${dice.pick(['author:', 'action:', 'type:'])}${storableText(dice)}`]),
  refresh_token: ({ refreshToken }) => refreshToken,
  request_id: (_, dice) => uuid(dice),
  signature: (_, dice) =>
    dice.pick([`0x${hexadecimal(dice).repeat(3).slice(0, 130)}`, 'a'.repeat(86)]),
  state: (_, dice) => uuid(dice),
  sort: (_, dice) => dice.pick(['', 'created_at', 'created_at ASC']),
  token: (_, dice) => dice.pick([digits(dice), hexadecimal(dice), `pkce_${hexadecimal(dice)}`]),
  token_hash: (_, dice) => hexadecimal(dice),
  username: (_, dice) =>
    dice.chance(75) ? `${canary}.${made++}` : dice.pick(['admin', 'ab', storableText(dice)]),
  webauthn: ({ factor }, dice) =>
    dice.pick([factor.key.answer, { ...factor.key.answer, type: 'create' }, storableObject(dice)]),
}

function rightValue(name: string, kind: FieldKind<unknown>, world: FuzzWorld, dice: Dice): unknown {
  const { enum: words } = kind.jsonSchema as { enum?: readonly string[] }
  if (words) return dice.pick(words)
  const byName = valuesByName[name]
  if (byName) return byName(world, dice)
  if (isOf(kind, Metadata)) return storableObject(dice)
  if (isOf(kind, Flag)) return dice.chance(50)
  if (isOf(kind, Whole)) return dice.below(1000)
  if (isOf(kind, Uuid)) return uuid(dice)
  if (isOf(kind, List)) return [storableText(dice)]
  return storableText(dice)
}

/** Returns whether a field is of a kind, required or not, whatever its name. */
const isOf = ({ type }: FieldKind<unknown>, kind: FieldKind<unknown>): boolean => type === kind.type

/** Groups of which one member is sent: more are rejected, and mostly none is, too. */
const alternatives = [
  ['email', 'phone'],
  ['token', 'token_hash'],
  ['password', 'password_hash'],
  ['code', 'webauthn'],
  ['jwks', 'jwks_uri'],
  ['redirect_uri', 'request_uri'],
]
/** Members that are sent together or not at all. */
const inseparable = ['code_challenge', 'code_challenge_method']

/** The members of a registered provider without discovery, and those that only others have. */
const plainProvider = {
  required: ['name', 'authorization_url', 'token_url', 'userinfo_url'],
  excluded: ['issuer', 'discovery_url', 'jwks_uri'],
}

/** Members without which most requests of a kind are rejected. */
const often = new Set(['access_token', 'issuer', 'new_email', 'password', 'phone', 'redirect_uris'])

/** Returns the required fields, and some of the others in a valid combination. */
function fieldsOf(kinds: FieldKinds, world: FuzzWorld, dice: Dice): Record<string, unknown> {
  const byName = new Map(
    Object.entries(kinds).map(([name, kind]) => [wireNameOf(name, kind), kind]),
  )
  const isOptional = (name: string) => byName.get(name)?.isRequired === false
  const isLeftOut = new Set(
    [...byName.keys()].filter((name) => isOptional(name) && dice.chance(often.has(name) ? 30 : 70)),
  )
  for (const [first = '', second = ''] of alternatives) {
    if (!isOptional(first) || !isOptional(second)) continue
    const [given, other] = dice.chance(75) ? [first, second] : [second, first]
    isLeftOut.delete(given)
    isLeftOut.add(other)
  }
  const areTogether = dice.chance(30)
  for (const name of inseparable) areTogether ? isLeftOut.delete(name) : isLeftOut.add(name)
  // The secret of a link is sent without an address.
  if (byName.has('token_hash') && !isLeftOut.has('token_hash')) {
    for (const name of ['email', 'phone']) isLeftOut.add(name)
  }
  const isPlainProvider = byName.has('provider_type') && dice.chance(75)
  if (isPlainProvider) {
    for (const name of plainProvider.required) isLeftOut.delete(name)
    for (const name of plainProvider.excluded) isLeftOut.add(name)
  }
  return {
    ...Object.fromEntries(
      [...byName]
        .filter(([name]) => !isLeftOut.has(name))
        .map(([name, kind]) => [name, rightValue(name, kind, world, dice)]),
    ),
    ...(isPlainProvider && { provider_type: 'oauth2', name: 'Club' }),
  }
}

/** Returns a valid body; undefined where none is read. */
export const rightBody = (
  { body }: Endpoint,
  world: FuzzWorld,
  dice: Dice,
): Record<string, unknown> | undefined => body && fieldsOf(body.kinds, world, dice)

/** Returns path and query. */
export function rightTarget({ path, query }: Endpoint, world: FuzzWorld, dice: Dice): string {
  const { factor, passkeyId, deviceId, userIds } = world
  const ids: Record<string, string> = {
    user_id: /\{(factor|passkey|device)_id\}/.test(path) ? factor.userId : dice.pick(userIds),
    factor_id: dice.chance(75) ? factor.factorId : factor.key.factorId,
    passkey_id: passkeyId,
    device_id: deviceId,
    identifier: 'custom:club-0',
  }
  // Deleted resources are requested again.
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    dice.chance(80) ? (ids[name] ?? uuid(dice)) : uuid(dice),
  )
  if (!query) return filled
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(fieldsOf({ ...query }, world, dice))) {
    parameters.set(name, String(value))
  }
  return `${filled}?${parameters}`
}

/** Returns a valid bearer token; undefined where none is required. */
export async function rightToken(
  { guards, path }: Endpoint,
  world: FuzzWorld,
  dice: Dice,
): Promise<string | undefined> {
  const { caller } = guardsOf({ guards })
  if (caller === 'anyone') return undefined
  if (caller === 'operator') return world.serviceToken
  if (/^\/(factors|passkeys|trusted-devices)/.test(path)) return world.factor.token
  return dice.chance(10) ? world.newSession() : world.userToken(dice)
}

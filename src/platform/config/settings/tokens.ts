import { boolean, oneOf } from '../kinds/choices.ts'
import { jsonWebKeys } from '../kinds/json-web-keys.ts'
import { list } from '../kinds/lists.ts'
import { integer, seconds } from '../kinds/numbers.ts'
import { rotatingSecrets } from '../kinds/secrets.ts'
import { text } from '../kinds/texts.ts'
import { live } from '../setting.ts'

export const tokenSettings = [
  live('encryptionKeys', {
    path: 'encryptionKey',
    env: 'ENCRYPTION_KEY',
    kind: rotatingSecrets,
    default: [],
    defaultText: 'required unless `AUTH_JWT_SECRET` is set',
    secret: true,
    description:
      'Root of the keys that protect stored secrets, at least 32 bytes; of several, separated by commas, the first makes and all read.',
  }),
  live('jwt.secrets', {
    path: 'jwt.secret',
    env: 'JWT_SECRET',
    kind: rotatingSecrets,
    default: [],
    defaultText: 'required unless `AUTH_ENCRYPTION_KEY` is set',
    secret: true,
    description:
      'Shared secret that signs access tokens (HS256) when there are no `AUTH_JWT_KEYS`, at least 32 bytes; of several, separated by commas, the first signs and all verify.',
  }),
  live('jwt.keys', {
    env: 'JWT_KEYS',
    kind: jsonWebKeys,
    default: null,
    secret: true,
    description:
      'JSON Web Keys for access tokens; the one with `sign` in its `key_ops` signs, all verify.',
  }),
  live('jwt.keyId', {
    env: 'JWT_KEY_ID',
    kind: text,
    default: null,
    description: '`kid` in the header of tokens that `AUTH_JWT_SECRET` signs.',
  }),
  live('jwt.algorithm', {
    env: 'JWT_ALGORITHM',
    kind: oneOf(['RS256', 'ES256', 'EdDSA']),
    default: 'RS256',
    description:
      'Algorithm of the keys that Latchkey makes when it is given neither keys nor a secret.',
  }),
  live('jwt.rotation.intervalSeconds', {
    env: 'JWT_ROTATION_INTERVAL',
    kind: seconds({ min: 60 }),
    default: 30 * 24 * 60 * 60,
    description: 'How long a key that Latchkey made signs before the next one takes over.',
  }),
  live('jwt.rotation.overlapSeconds', {
    env: 'JWT_ROTATION_OVERLAP',
    kind: seconds({ min: 60 }),
    default: 60 * 60,
    description:
      'How long such a key is published before it signs, and kept after its last token has expired.',
  }),
  live('jwt.lifetimeSeconds', {
    env: 'JWT_EXP',
    kind: seconds({ whole: true, min: 1, outside: 3600 }),
    default: 3600,
    description: 'Lifetime of an access token.',
  }),
  live('jwt.audience', {
    env: 'JWT_AUD',
    kind: text,
    default: 'authenticated',
    description: '`aud` claim of users who have no audience of their own.',
  }),
  live('jwt.signUpAudiences', {
    env: 'JWT_SIGN_UP_AUDIENCES',
    kind: list(),
    default: [],
    description:
      'Audiences beside `AUTH_JWT_AUD` that people may sign up for, by the header `X-JWT-AUD`; those that users have already need no mention.',
  }),
  live('jwt.issuer', {
    env: 'JWT_ISSUER',
    kind: text,
    default: null,
    defaultText: 'no such claim',
    description: '`iss` claim, and the issuer in the discovery document.',
  }),
  live('jwt.adminRoles', {
    env: 'JWT_ADMIN_ROLES',
    kind: list(),
    default: ['service_role', 'svc_admin', 'supabase_admin'],
    description:
      'Roles that open the admin endpoints and invitations: of a user as stored, of a token without a user as it says.',
  }),
  live('jwt.defaultRole', {
    env: 'JWT_DEFAULT_GROUP_NAME',
    kind: text,
    default: 'authenticated',
    description: '`role` of new users.',
  }),
  live('sessions.timeboxSeconds', {
    env: 'SESSIONS_TIMEBOX',
    kind: seconds({ min: 0.001 }),
    default: null,
    description: 'Time after which a session ends, however often it was renewed.',
  }),
  live('sessions.inactivityTimeoutSeconds', {
    env: 'SESSIONS_INACTIVITY_TIMEOUT',
    kind: seconds({ min: 0.001 }),
    default: null,
    description: 'Time after which a session that is not renewed ends.',
  }),
  live('sessions.allowLowAalSeconds', {
    env: 'SESSIONS_ALLOW_LOW_AAL',
    kind: seconds({ min: 0.001 }),
    default: null,
    description:
      'How long a session may stay below the assurance level that the factors of its user allow.',
  }),
  live('sessions.maxPerUser', {
    env: 'SESSIONS_MAX_PER_USER',
    kind: integer('sessions', { min: 1, max: 10_000 }),
    default: 200,
    description:
      'Live sessions of one user at most; a sign-in beyond them ends the least recently used one.',
  }),
  live('sessions.singlePerUser', {
    env: 'SESSIONS_SINGLE_PER_USER',
    kind: boolean,
    default: false,
    description: 'Lets only the session of a user that was used last be renewed.',
  }),
  live('sessions.tags', {
    env: 'SESSIONS_TAGS',
    kind: list(),
    default: [],
    description:
      'Kinds of session, of each of which a user may have one; the first is the usual one.',
  }),
]

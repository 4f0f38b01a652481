import { boolean, oneOf } from '../parsers/choices.ts'
import { jsonWebKeys } from '../parsers/json-web-keys.ts'
import { list } from '../parsers/lists.ts'
import { integer, seconds } from '../parsers/numbers.ts'
import { rotatingSecrets } from '../parsers/secrets.ts'
import { text } from '../parsers/texts.ts'
import { live } from '../setting.ts'

export const tokenSettings = [
  live('encryptionKeys', {
    path: 'encryptionKey',
    env: 'ENCRYPTION_KEY',
    parser: rotatingSecrets,
    default: [],
    defaultText: 'required unless `AUTH_JWT_SECRET` is set',
    secret: true,
    description:
      'Root key of stored secrets, at least 32 bytes; of several, separated by commas, the first encrypts and all decrypt.',
  }),
  live('jwt.secrets', {
    path: 'jwt.secret',
    env: 'JWT_SECRET',
    parser: rotatingSecrets,
    default: [],
    defaultText: 'required unless `AUTH_ENCRYPTION_KEY` is set',
    secret: true,
    description:
      'Shared secret that signs access tokens (HS256) when there are no `AUTH_JWT_KEYS`, at least 32 bytes; of several, separated by commas, the first signs and all verify.',
  }),
  live('jwt.keys', {
    env: 'JWT_KEYS',
    parser: jsonWebKeys,
    default: null,
    secret: true,
    description:
      'JSON Web Keys for access tokens; the one with `sign` in its `key_ops` signs, all verify.',
  }),
  live('jwt.keyId', {
    env: 'JWT_KEY_ID',
    parser: text,
    default: null,
    description: '`kid` in the header of tokens that `AUTH_JWT_SECRET` signs.',
  }),
  live('jwt.algorithm', {
    env: 'JWT_ALGORITHM',
    parser: oneOf(['RS256', 'ES256', 'EdDSA']),
    default: 'RS256',
    description:
      'Algorithm of generated keys, used if neither keys nor a secret are configured. `getClaims()` of `@supabase/auth-js` verifies RS256 and ES256 only.',
  }),
  live('jwt.rotation.intervalSeconds', {
    env: 'JWT_ROTATION_INTERVAL',
    parser: seconds({ min: 60 }),
    default: 30 * 24 * 60 * 60,
    bounds: {
      unit: 'seconds',
      unusual: 31_536_000,
      ceiling: 63_072_000,
      source: 'NIST SP 800-57 §5.3.6',
    },
    description: 'How long a generated key signs before the next one replaces it.',
  }),
  live('jwt.rotation.overlapSeconds', {
    env: 'JWT_ROTATION_OVERLAP',
    parser: seconds({ min: 60 }),
    default: 60 * 60,
    bounds: {
      unit: 'seconds',
      unusual: 604_800,
      ceiling: 2_592_000,
      source: 'NIST SP 800-57 §5.3.6',
    },
    description:
      'How long such a key is published before it signs, and kept after its last token has expired.',
  }),
  live('jwt.lifetimeSeconds', {
    env: 'JWT_EXP',
    parser: seconds({ whole: true, min: 1, outside: 3600 }),
    default: 3600,
    bounds: { unit: 'seconds', unusual: 86_400, ceiling: 604_800, source: 'RFC 9700 §2.2.1' },
    description: 'Lifetime of an access token.',
  }),
  live('jwt.audience', {
    env: 'JWT_AUD',
    parser: text,
    default: 'authenticated',
    description: '`aud` claim of users without an audience of their own.',
  }),
  live('jwt.signUpAudiences', {
    env: 'JWT_SIGN_UP_AUDIENCES',
    parser: list(),
    default: [],
    description:
      'Audiences in addition to `AUTH_JWT_AUD` for sign-up, requested by the header `X-JWT-AUD`; audiences of existing users need not be listed.',
  }),
  live('jwt.issuer', {
    env: 'JWT_ISSUER',
    parser: text,
    default: null,
    defaultText: 'no such claim',
    description: '`iss` claim, and the issuer in the discovery document.',
  }),
  live('jwt.adminRoles', {
    env: 'JWT_ADMIN_ROLES',
    parser: list(),
    default: ['service_role', 'svc_admin', 'supabase_admin'],
    description:
      'Roles with access to the admin endpoints and invitations: the stored role of a user, or the claim of a token without a user.',
  }),
  live('jwt.defaultRole', {
    env: 'JWT_DEFAULT_GROUP_NAME',
    parser: text,
    default: 'authenticated',
    description: '`role` of new users.',
  }),
  live('sessions.timeboxSeconds', {
    env: 'SESSIONS_TIMEBOX',
    parser: seconds({ min: 0.001 }),
    default: null,
    description: 'Time after which a session ends, however often it was renewed.',
  }),
  live('sessions.inactivityTimeoutSeconds', {
    env: 'SESSIONS_INACTIVITY_TIMEOUT',
    parser: seconds({ min: 0.001 }),
    default: null,
    description: 'Time after which a session that is not renewed ends.',
  }),
  live('sessions.allowLowAalSeconds', {
    env: 'SESSIONS_ALLOW_LOW_AAL',
    parser: seconds({ min: 0.001 }),
    default: null,
    bounds: {
      unit: 'seconds',
      unusual: 86_400,
      ceiling: 2_592_000,
      source: 'NIST SP 800-63B §4.2.3',
    },
    description:
      'How long a session may stay below the assurance level that the factors of its user allow.',
  }),
  live('sessions.maxPerUser', {
    env: 'SESSIONS_MAX_PER_USER',
    parser: integer('sessions', { min: 1, max: 10_000 }),
    default: 200,
    bounds: { unit: 'sessions', unusual: 1_000, ceiling: 10_000, source: 'OWASP ASVS 5.0 §7.1.2' },
    description:
      'Maximum of live sessions of one user; a further sign-in ends the least recently used one. Concurrent sign-ins may exceed it until the next one. Those of OAuth clients are counted separately, up to the same maximum.',
  }),
  live('sessions.singlePerUser', {
    env: 'SESSIONS_SINGLE_PER_USER',
    parser: boolean,
    default: false,
    description: 'Permits renewal of the most recently used session of a user only.',
  }),
  live('sessions.tags', {
    env: 'SESSIONS_TAGS',
    parser: list(),
    default: [],
    description: 'Kinds of session; a user may have one of each; the first is the default.',
  }),
]

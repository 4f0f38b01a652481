import { oneOf } from '../parsers/choices.ts'
import { redisClient } from '../parsers/code-only.ts'
import { integer, limit, rate } from '../parsers/numbers.ts'
import { clientHeader } from '../parsers/texts.ts'
import { redisUrl } from '../parsers/urls.ts'
import { live, offersLater } from '../setting.ts'

const thirtyAnHour = { count: 30, perSeconds: 3600 }

export const rateLimitSettings = [
  live('rateLimits.store', {
    env: 'RATE_LIMIT_STORE',
    parser: oneOf(['memory', 'postgres', 'redis']),
    default: 'memory',
    defaultText: '`memory`; `redis` where Redis is configured',
    description:
      'Store of the counters of requests per client: each process, the database or Redis for all of them.',
  }),
  live('rateLimits.redisUrl', {
    env: 'RATE_LIMIT_REDIS_URL',
    gotrue: [],
    parser: redisUrl,
    default: null,
    secret: true,
    description:
      'Connection string of Redis, which then stores the counters. Requires the package `redis`.',
  }),
  live('rateLimits.redis', {
    env: null,
    parser: redisClient,
    default: null,
    description: 'Function that returns a Redis client, which then stores the counters.',
  }),
  live('rateLimits.header', {
    env: 'RATE_LIMIT_HEADER',
    parser: clientHeader,
    default: null,
    defaultText: 'the address of the connection',
    description:
      'Header of a trusted proxy that identifies clients: `docs/limits.md`; `off` states that there is no proxy. Clients with private addresses are not limited then.',
  }),
  live('rateLimits.proxyHops', {
    env: 'RATE_LIMIT_PROXY_HOPS',
    parser: integer('number', { min: 0, max: 20 }),
    default: 0,
    description:
      'Number of public addresses to skip, from the right, in `X-Forwarded-For` or `Forwarded`.',
  }),
  live('rateLimits.emailSent', {
    env: 'RATE_LIMIT_EMAIL_SENT',
    parser: rate,
    default: thirtyAnHour,
    defaultText: '30 (an hour)',
    description:
      'Mails that the whole service sends per hour, shared by clients: `docs/limits.md`; `30/15m` sets another period.',
  }),
  live('rateLimits.smsSent', {
    env: 'RATE_LIMIT_SMS_SENT',
    parser: rate,
    default: thirtyAnHour,
    defaultText: '30 (an hour)',
    description:
      'SMS that the whole service sends, shared by clients and with codes of second factors.',
  }),
  live('rateLimits.otp', {
    env: 'RATE_LIMIT_OTP',
    parser: limit,
    default: 30,
    description: 'Requests for mails and codes, per client in five minutes.',
  }),
  live('rateLimits.tokenRefresh', {
    env: 'RATE_LIMIT_TOKEN_REFRESH',
    parser: limit,
    default: 150,
    description:
      'Requests to `/token`, except those of wallets, to `/authorize` and to `/callback`, each per client in five minutes.',
  }),
  live('rateLimits.verify', {
    env: 'RATE_LIMIT_VERIFY',
    parser: limit,
    default: 30,
    description: 'Requests to `/verify`, per client in five minutes.',
  }),
  live('rateLimits.anonymousUsers', {
    env: 'RATE_LIMIT_ANONYMOUS_USERS',
    parser: limit,
    default: 30,
    description: 'Anonymous sign-ins, per client in an hour, and the burst.',
  }),
  offersLater('rateLimits.sso', {
    env: 'RATE_LIMIT_SSO',
    parser: limit,
    default: 30,
    description: 'Requests to `/sso`, per client in five minutes.',
  }),
  live('rateLimits.web3', {
    env: 'RATE_LIMIT_WEB3',
    parser: limit,
    default: 30,
    description: 'Sign-ins with a wallet, per client in five minutes.',
  }),
  live('rateLimits.subscribePages', {
    env: 'RATE_LIMIT_SUBSCRIBE_PAGES',
    gotrue: [],
    parser: limit,
    default: 300,
    description: 'Requests to subscription pages, per client in five minutes.',
  }),
  live('rateLimits.passkey', {
    env: 'RATE_LIMIT_PASSKEY',
    parser: limit,
    default: 30,
    description:
      'Challenges for sign-in, sign-up or registration with a passkey, and sign-ins with one, each per client in five minutes.',
  }),
  live('rateLimits.oauthDynamicClientRegister', {
    env: 'RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER',
    aliases: ['RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER'],
    parser: limit,
    default: 10,
    description:
      'Registrations of OAuth clients, and documents of unknown ones, each per client in five minutes.',
  }),
  offersLater('rateLimits.samlAssertion', {
    env: 'SAML_RATE_LIMIT_ASSERTION',
    parser: limit,
    default: 15,
    description: 'SAML assertions, per client in five minutes.',
  }),
  live('rateLimits.challengeAndVerify', {
    env: 'MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY',
    parser: limit,
    default: 15,
    description:
      'Enrollments of factors and devices, challenges and their verification, each per client in a minute.',
  }),
]

import { oneOf } from '../kinds/choices.ts'
import { redisClient } from '../kinds/code-only.ts'
import { integer } from '../kinds/numbers.ts'
import { limit, rate } from '../kinds/rates.ts'
import { clientHeader } from '../kinds/texts.ts'
import { live, offersLater } from '../setting.ts'

const thirtyAnHour = { count: 30, perSeconds: 3600 }

export const rateLimitSettings = [
  live('rateLimits.store', {
    env: 'RATE_LIMIT_STORE',
    kind: oneOf(['memory', 'postgres']),
    default: 'memory',
    description:
      'Where requests per client are counted: in each process, or in the database for all of them.',
  }),
  live('rateLimits.redis', {
    env: null,
    kind: redisClient,
    default: null,
    description: 'Hands out a Redis client, in which requests per client are then counted.',
  }),
  live('rateLimits.header', {
    env: 'RATE_LIMIT_HEADER',
    kind: clientHeader,
    default: null,
    defaultText: 'the address of the connection',
    description:
      'Header, set by a trusted proxy, that tells clients apart: `docs/limits.md`. `off` says that there is no proxy.',
  }),
  live('rateLimits.proxyHops', {
    env: 'RATE_LIMIT_PROXY_HOPS',
    kind: integer('number', { min: 0, max: 20 }),
    default: 0,
    description:
      'So many public addresses are passed over, from the right, in `X-Forwarded-For` or `Forwarded`.',
  }),
  live('rateLimits.emailSent', {
    env: 'RATE_LIMIT_EMAIL_SENT',
    kind: rate,
    default: thirtyAnHour,
    defaultText: '30 (an hour)',
    description:
      'Mails that the whole service sends, shared by clients: `docs/limits.md`; `30/15m` names another time.',
  }),
  live('rateLimits.smsSent', {
    env: 'RATE_LIMIT_SMS_SENT',
    kind: rate,
    default: thirtyAnHour,
    defaultText: '30 (an hour)',
    description:
      'SMS that the whole service sends, shared by clients and with codes of second factors.',
  }),
  live('rateLimits.otp', {
    env: 'RATE_LIMIT_OTP',
    kind: limit,
    default: 30,
    description: 'Requests for mails and codes, per client in five minutes.',
  }),
  live('rateLimits.tokenRefresh', {
    env: 'RATE_LIMIT_TOKEN_REFRESH',
    kind: limit,
    default: 150,
    description:
      'Requests to `/token`, except those of wallets, to `/authorize` and to `/callback`, each per client in five minutes.',
  }),
  live('rateLimits.verify', {
    env: 'RATE_LIMIT_VERIFY',
    kind: limit,
    default: 30,
    description: 'Requests to `/verify`, per client in five minutes.',
  }),
  live('rateLimits.anonymousUsers', {
    env: 'RATE_LIMIT_ANONYMOUS_USERS',
    kind: limit,
    default: 30,
    description: 'Anonymous sign-ins, per client in an hour, and as many at once.',
  }),
  offersLater('rateLimits.sso', {
    env: 'RATE_LIMIT_SSO',
    kind: limit,
    default: 30,
    description: 'Requests to `/sso`, per client in five minutes.',
  }),
  live('rateLimits.web3', {
    env: 'RATE_LIMIT_WEB3',
    kind: limit,
    default: 30,
    description: 'Sign-ins with a wallet, per client in five minutes.',
  }),
  live('rateLimits.subscribePages', {
    env: 'RATE_LIMIT_SUBSCRIBE_PAGES',
    gotrue: [],
    kind: limit,
    default: 300,
    description: 'Requests to subscription pages, per client in five minutes.',
  }),
  live('rateLimits.passkey', {
    env: 'RATE_LIMIT_PASSKEY',
    kind: limit,
    default: 30,
    description:
      'Challenges to sign in, sign up or register by passkey, and sign-ins by passkey, each per client in five minutes.',
  }),
  offersLater('rateLimits.oauthDynamicClientRegister', {
    env: 'RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER',
    aliases: ['RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER'],
    kind: limit,
    default: 10,
    description: 'Registrations of applications, per client in five minutes.',
  }),
  offersLater('rateLimits.samlAssertion', {
    env: 'SAML_RATE_LIMIT_ASSERTION',
    kind: limit,
    default: 15,
    description: 'SAML assertions, per client in five minutes.',
  }),
  live('rateLimits.challengeAndVerify', {
    env: 'MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY',
    kind: limit,
    default: 15,
    description:
      'Enrollments of factors and devices, challenges and answers, each per client in a minute.',
  }),
]

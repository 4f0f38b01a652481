import type { Glob } from '../../kit/glob.ts'
import { isLoopbackHost } from '../../kit/ip-address.ts'
import type { Config } from '../config.ts'
import type { Rule } from './rule.ts'

/** A value, or a combination of settings, that disables a protection or has no effect. */
interface WeakProtection {
  path: string
  applies(config: Config): boolean
  warning: string
}

/** The most requests per client that a limit permits without a warning: ten times its default. */
export const usualLimits = {
  otp: 300,
  tokenRefresh: 1_500,
  verify: 300,
  anonymousUsers: 300,
  web3: 300,
  passkey: 300,
  subscribePages: 3_000,
  challengeAndVerify: 150,
  oauthDynamicClientRegister: 100,
} as const satisfies Partial<Record<keyof Config['rateLimits'], number>>

const limits = Object.keys(usualLimits) as (keyof typeof usualLimits)[]

/** The most messages per second that a budget refills without a warning: 36,000 an hour. */
const usualMessagesPerSecond = 10

export const weakProtections: readonly WeakProtection[] = [
  ...limits.flatMap((name): WeakProtection[] => {
    const path = `rateLimits.${name}`
    const usual = usualLimits[name]
    return [
      {
        path,
        applies: ({ rateLimits }) => rateLimits[name] === null,
        warning: 'is off: no client is limited there',
      },
      {
        path,
        applies: ({ rateLimits }) => rateLimits[name] === 0,
        warning: 'is 0: a client that has used its burst is never accepted again',
      },
      {
        path,
        applies: ({ rateLimits }) => (rateLimits[name] ?? 0) > usual,
        warning: `is unusually large: more than ${usual} requests of one client are almost no limit for guessing`,
      },
    ]
  }),
  ...(['emailSent', 'smsSent'] as const).map(
    (name): WeakProtection => ({
      path: `rateLimits.${name}`,
      applies: ({ rateLimits }) => rateLimits[name] === null,
      warning: 'is off: all clients together can cause any number of messages',
    }),
  ),
  ...(['emailSent', 'smsSent'] as const).map(
    (name): WeakProtection => ({
      path: `rateLimits.${name}`,
      applies: ({ rateLimits }) => {
        const { count, perSeconds } = rateLimits[name] ?? { count: 0, perSeconds: 1 }
        return count > usualMessagesPerSecond * perSeconds
      },
      warning: `is unusually large: more than ${usualMessagesPerSecond} messages per second are almost no limit for a flood`,
    }),
  ),
  {
    path: 'jwt.rotation.overlapSeconds',
    applies: ({ jwt: { rotation } }) => rotation.overlapSeconds >= rotation.intervalSeconds,
    warning:
      'is not shorter than jwt.rotation.intervalSeconds: the next key waits longer than one signs',
  },
  {
    path: 'database.cleanupEnabled',
    applies: ({ database }) => !database.cleanupEnabled,
    warning:
      'is false: expired sessions, codes and messages are never deleted, and slow down sign-ins',
  },
  {
    path: 'security.refreshTokens.rotationEnabled',
    applies: ({ security }) => !security.refreshTokens.rotationEnabled,
    warning: 'is false: the use of a stolen refresh token is not detected (RFC 9700 §4.14.2)',
  },
  {
    path: 'security.refreshTokens.reuseIntervalSeconds',
    applies: ({ security, jwt }) =>
      security.refreshTokens.reuseIntervalSeconds > jwt.lifetimeSeconds,
    warning: 'is longer than access tokens are valid: most reuse of refresh tokens is accepted',
  },
  {
    path: 'sessions.inactivityTimeoutSeconds',
    applies: ({ sessions: { inactivityTimeoutSeconds: inactivity, timeboxSeconds: timebox } }) =>
      inactivity !== null && timebox !== null && inactivity > timebox,
    warning: 'has no effect: it is longer than sessions.timeboxSeconds',
  },
  {
    path: 'sessions.inactivityTimeoutSeconds',
    applies: ({ sessions: { inactivityTimeoutSeconds: inactivity }, jwt }) =>
      inactivity !== null && inactivity < jwt.lifetimeSeconds,
    warning:
      'is shorter than jwt.lifetimeSeconds: tokens outlive sessions, which end between refreshes',
  },
  {
    path: 'sessions.timeboxSeconds',
    applies: ({ sessions: { timeboxSeconds: timebox }, jwt }) =>
      timebox !== null && timebox < jwt.lifetimeSeconds,
    warning: 'is shorter than jwt.lifetimeSeconds: access tokens outlive their sessions',
  },
  {
    path: 'sms.testOtpValidUntil',
    applies: ({ sms }) => Object.keys(sms.testOtp).length > 0 && sms.testOtpValidUntil === null,
    warning: 'is absent: the fixed codes of sms.testOtp never expire',
  },
  {
    path: 'sms.maxFrequencySeconds',
    applies: ({ phone, sms }) => phone.enabled && sms.maxFrequencySeconds === 0,
    warning: 'is 0: one number can be sent messages without an interval',
  },
  {
    path: 'email.maxFrequencySeconds',
    applies: ({ email }) => email.maxFrequencySeconds === 0,
    warning: 'is 0: one address can be sent messages without an interval',
  },
  {
    path: 'passwords.hibpFailClosed',
    applies: ({ passwords }) => passwords.hibpFailClosed && !passwords.hibpEnabled,
    warning: 'has no effect without passwords.hibpEnabled: no password is compared with breaches',
  },
  {
    path: 'email.autoconfirm',
    applies: ({ email, providers }) =>
      email.autoconfirm && Object.values(providers).some(({ enabled }) => enabled),
    warning:
      'is true beside external providers: a client can sign up with the address of another user, whose first sign-in through a provider then opens the account of that client',
  },
  {
    path: 'email.autoconfirm',
    applies: ({ email, oauthServer }) => email.autoconfirm && oauthServer.enabled,
    warning:
      'is true beside the OAuth server: no user proves an address, so clients receive email_verified: false',
  },
  {
    path: 'sms.autoconfirm',
    applies: ({ phone, sms, oauthServer }) =>
      phone.enabled && sms.autoconfirm && oauthServer.enabled,
    warning:
      'is true beside the OAuth server: no user proves a number, so clients receive phone_number_verified: false',
  },
  {
    path: 'security.captcha.minScore',
    applies: ({ security: { captcha } }) =>
      captcha.enabled && captcha.provider === 'recaptcha_v3' && captcha.minScore < 0.3,
    warning: 'is below 0.3: recaptcha_v3 gives such scores to software',
  },
  {
    path: 'server.requestTimeoutSeconds',
    applies: ({ server }) => server.requestTimeoutSeconds === 0,
    warning: 'is 0: requests have no deadline, and slow ones keep their connections',
  },
  {
    path: 'server.maxConnections',
    applies: ({ server }) => server.maxConnections === 0,
    warning: 'is 0: connections have no limit, and one client can use all of them',
  },
]

/** Warns about values and combinations that disable a protection, except in development. */
export const warnOfWeakProtection: Rule = ({ config, report }) => {
  if (config.development) return
  for (const { path, applies, warning } of weakProtections) {
    if (applies(config)) report.warn(path, warning)
  }
}

/**
 * Warns that a stolen `aal2` session can add credentials if the check for a recent proof is
 * disabled.
 */
export const warnWithoutRecentProof: Rule = ({ config, report }) => {
  if (config.security.recentProofSeconds !== 0) return
  report.warn(
    'security.recentProofSeconds',
    'is 0: a stolen session at aal2 can add and replace credentials without a recent proof of a factor',
  )
}

/** Warns of redirect targets without TLS, which receive tokens, where the site has TLS. */
export const warnOfUnencryptedTargets: Rule = ({ config, report }) => {
  const { development, siteUrl, redirects } = config
  if (development || URL.parse(siteUrl)?.protocol !== 'https:') return
  const texts = redirects.allowList
    .filter(({ scheme, authority }) => scheme === 'http' && authority && !isLoopback(authority))
    .map(({ text }) => text)
  for (const text of new Set(texts)) {
    report.warn(
      'redirects.allowList',
      `has ${JSON.stringify(text)}, which is not encrypted: tokens can be read on the network path`,
    )
  }
}

/** Returns whether a pattern permits hosts of this machine only. */
function isLoopback(authority: Glob): boolean {
  const text = authority.map((step) => (step.is === 'character' ? step.character : '*')).join('')
  return isLoopbackHost(text.replace(/:[\d*]*$/, ''))
}

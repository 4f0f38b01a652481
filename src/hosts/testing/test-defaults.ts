import type { AuthConfig } from '../../platform/config/config.ts'
import type { SendMail } from '../../platform/config/sections/email.ts'
import type { SendSms } from '../../platform/config/sections/sms.ts'

/** Functions that receive messages in place of a mail server and a carrier. */
interface Carriers {
  mail: SendMail
  sms: SendSms
}

/** Returns the configuration with defaults for tests. */
export function withTestDefaults(config: AuthConfig, carriers: Carriers): AuthConfig {
  const { smtp: _smtp, ...email } = config.email ?? {}
  const { provider: _provider, ...sms } = config.sms ?? {}
  return {
    siteUrl: 'http://localhost:3000',
    ...given(config),
    database: withUrl(config.database),
    jwt: { secret: 'a secret that signs the tokens of tests', ...given(config.jwt) },
    email: {
      from: 'tests@example.test',
      maxFrequencySeconds: 0,
      ...given(email),
      send: carriers.mail,
    },
    phone: { enabled: true, ...given(config.phone) },
    sms: { maxFrequencySeconds: 0, ...given(sms), send: carriers.sms },
    passwords: {
      argon2: { memoryKib: 64, iterations: 1, parallelism: 1 },
      ...given(config.passwords),
    },
    rateLimits: { ...withoutLimits, ...given(config.rateLimits) },
  }
}

/**
 * Removes undefined members. An application sets `process.env.JWT_SECRET`, for example, which tests
 * do not define.
 */
const given = <T extends object>(section: T | undefined): Partial<T> =>
  Object.fromEntries(
    Object.entries(section ?? {}).filter(([, value]) => value !== undefined),
  ) as Partial<T>

/** Without a URL it names the embedded database, which is opened in its place. */
function withUrl(database: AuthConfig['database']): AuthConfig['database'] {
  const url = 'postgres://embedded/test'
  return typeof database === 'object' ? { url, ...given(database) } : (database ?? url)
}

/** Tests send more requests than people. */
const withoutLimits: AuthConfig['rateLimits'] = {
  header: 'off',
  emailSent: 'off',
  smsSent: 'off',
  verify: 'off',
  tokenRefresh: 'off',
  otp: 'off',
  challengeAndVerify: 'off',
  anonymousUsers: 'off',
  passkey: 'off',
  web3: 'off',
}

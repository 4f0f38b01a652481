import type { Rate, RateText } from './values.ts'

/** A number, or `off`. */
export type Limit = number | 'off'

/** Hands out a client of the packages `ioredis` or `redis`, which stays the host's. */
export type RedisClient = () => unknown

/** How often clients may ask. */
export interface RateLimitsConfig {
  /** Where requests per client are counted: in each process (default), or in the database. */
  store?: 'memory' | 'postgres' | undefined
  /** Counts them in Redis instead. */
  redis?: RedisClient | undefined
  /**
   * Header, set by a trusted proxy, that tells clients apart. `X-Forwarded-For` and `Forwarded` are read
   * from the right; of any other header the first value counts, an address or not. `off` says that there is no proxy, and that nobody forgot to name one.
   */
  header?: string | undefined
  /** Proxies with public addresses between clients and the service, but for the first one. Default 0. */
  proxyHops?: number | undefined
  /** Mails of the whole service, of which one client gets a third at most. Default 30 an hour. */
  emailSent?: RateText | undefined
  /** SMS of the whole service, of which one client gets a third at most. Default 30 an hour. */
  smsSent?: RateText | undefined
  /** Requests for codes and links, per client in 5 minutes. Default 30. */
  otp?: Limit | undefined
  /** `/token`, save for sign-ins with wallets, per client in 5 minutes. Default 150. */
  tokenRefresh?: Limit | undefined
  /** `/verify`, per client in 5 minutes. Default 30. */
  verify?: Limit | undefined
  /** Anonymous sign-ins, per client and hour, and as many at once. Default 30. */
  anonymousUsers?: Limit | undefined
  /** `/sso`, per client in 5 minutes. Default 30. Not built yet: no effect, and a warning at start. */
  sso?: Limit | undefined
  /** Sign-ins with wallets, per client in 5 minutes. Default 30. */
  web3?: Limit | undefined
  /** Sign-ins with passkeys, per client in 5 minutes. Default 30. */
  passkey?: Limit | undefined
  /** Registrations of applications, per client in 5 minutes. Default 10. Not built yet: no effect, and a warning at start. */
  oauthDynamicClientRegister?: Limit | undefined
  /** SAML assertions, per client in 5 minutes. Default 15. Not built yet: no effect, and a warning at start. */
  samlAssertion?: Limit | undefined
  /** Enrollments of factors, challenges and answers to them, per client and minute. Default 15. */
  challengeAndVerify?: Limit | undefined
  /** Requests to subscription pages, per client in 5 minutes. Default 300. */
  subscribePages?: Limit | undefined
}

/** Null: no limit. */
export interface ResolvedRateLimits {
  store: 'memory' | 'postgres'
  redis: RedisClient | null
  header: string | null
  proxyHops: number
  emailSent: Rate | null
  smsSent: Rate | null
  otp: number | null
  tokenRefresh: number | null
  verify: number | null
  anonymousUsers: number | null
  sso: number | null
  web3: number | null
  passkey: number | null
  oauthDynamicClientRegister: number | null
  samlAssertion: number | null
  challengeAndVerify: number | null
  subscribePages: number | null
}

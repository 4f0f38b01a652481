import type { Rate, RateText } from './values.ts'

/** A number, or `off`. */
export type Limit = number | 'off'

/** Returns a client of the packages `ioredis` or `redis`, which the host owns. */
export type RedisClient = () => unknown

/** A store of the counters of requests per client. */
export type LimitStoreName = 'memory' | 'postgres' | 'redis'

/** Limits for the requests of clients and for messages. */
export interface RateLimitsConfig {
  /**
   * The store of the counters: each process (default), the database, or Redis (default where
   * `redisUrl` or `redis` is set). While Redis is unavailable, the database counts.
   */
  store?: LimitStoreName | undefined
  /**
   * The connection string of Redis, such as `rediss://user:password@host:6379/0`. Requires the
   * package `redis`.
   */
  redisUrl?: string | undefined
  /** Returns the host's client of Redis, in place of `redisUrl`. */
  redis?: RedisClient | undefined
  /**
   * The header of a trusted proxy that identifies clients. `X-Forwarded-For` and `Forwarded` are
   * read from the right; of any other header the first value is used, whether or not it is an
   * address. `off` states that there is no proxy.
   */
  header?: string | undefined
  /**
   * The number of proxies with public addresses between clients and the service, except the first.
   * Default 0.
   */
  proxyHops?: number | undefined
  /** Mails of the whole service, of which one client gets at most a third. Default 30 an hour. */
  emailSent?: RateText | undefined
  /** SMS of the whole service, of which one client gets at most a third. Default 30 an hour. */
  smsSent?: RateText | undefined
  /** Requests for codes and links, per client in 5 minutes. Default 30. */
  otp?: Limit | undefined
  /** `/token`, except sign-ins with wallets, per client in 5 minutes. Default 150. */
  tokenRefresh?: Limit | undefined
  /** `/verify`, per client in 5 minutes. Default 30. */
  verify?: Limit | undefined
  /** Anonymous sign-ins, per client and hour, and the burst. Default 30. */
  anonymousUsers?: Limit | undefined
  /**
   * `/sso`, per client in 5 minutes. Default 30. Not built yet: no effect, and a warning at start.
   */
  sso?: Limit | undefined
  /** Sign-ins with wallets, per client in 5 minutes. Default 30. */
  web3?: Limit | undefined
  /** Sign-ins with passkeys, per client in 5 minutes. Default 30. */
  passkey?: Limit | undefined
  /** Registrations of OAuth clients, per client in 5 minutes. Default 10. */
  oauthDynamicClientRegister?: Limit | undefined
  /**
   * SAML assertions, per client in 5 minutes. Default 15. Not built yet: no effect, and a warning
   * at start.
   */
  samlAssertion?: Limit | undefined
  /**
   * Enrollments of factors, challenges and their verification, per client and minute. Default 15.
   */
  challengeAndVerify?: Limit | undefined
  /** Requests to subscription pages, per client in 5 minutes. Default 300. */
  subscribePages?: Limit | undefined
}

/** Null: no limit. */
export interface ResolvedRateLimits {
  store: LimitStoreName
  redisUrl: string | null
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

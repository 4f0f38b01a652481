import {
  type HostLogger,
  type Logger,
  nonThrowingLogger,
  silentLogger,
} from '../../observability/logger.ts'
import type { SendMail } from '../sections/email.ts'
import type { HookFunction } from '../sections/hooks.ts'
import type { ProviderDefinition } from '../sections/provider-definition.ts'
import type { MapProfile } from '../sections/providers.ts'
import type { RedisClient } from '../sections/rate-limits.ts'
import type { VerifyCaptcha } from '../sections/security.ts'
import type { WaitUntil } from '../sections/server.ts'
import type { SendSms } from '../sections/sms.ts'
import type { CacheStorage } from '../sections/values.ts'
import { fails, type Parser, reads } from './parser.ts'

/** A logger. */
export const logger: Parser<Logger | null, HostLogger | false> = {
  name: 'logger',
  emptyMeansAbsent: true,
  parse: () => fails('can be set in code only'),
  check: (given) => {
    if (given === false) return reads(silentLogger)
    if (typeof given !== 'object' || given === null) {
      return fails('must be an object, as console or a pino logger is, or false')
    }
    const methods = given as Partial<Logger>
    const required = (methods.fatal ?? null) === null ? levels : ([...levels, 'fatal'] as const)
    const lacking = required.filter((level) => typeof methods[level] !== 'function')
    if (lacking.length === 0) return reads(nonThrowingLogger(given as HostLogger))
    return { problems: lacking.map((level) => ({ at: `.${level}`, message: 'must be a method' })) }
  },
}

/** The required methods. Without `fatal`, `error` is called. */
const levels = ['debug', 'info', 'warn', 'error'] as const

/** A cache for published documents. It belongs to the caller, so it is not frozen. */
export const cacheStorage: Parser<CacheStorage | null, CacheStorage> = {
  name: 'storage',
  emptyMeansAbsent: true,
  parse: () => fails('can be set in code only'),
  check: (given) => {
    if (typeof given !== 'object' || given === null) {
      return fails('must be an object, as a storage of unstorage is')
    }
    const storage = given as CacheStorage
    const lacking = storageMethods.filter((method) => typeof storage[method] !== 'function')
    if (lacking.length > 0) {
      return {
        problems: lacking.map((method) => ({ at: `.${method}`, message: 'must be a method' })),
      }
    }
    return reads({
      getItem: (key) => storage.getItem(key),
      setItem: (key, value) => storage.setItem(key, value),
      removeItem: (key) => storage.removeItem(key),
    })
  },
}

const storageMethods = ['getItem', 'setItem', 'removeItem'] as const

const anyFunction = <Given extends (...given: never[]) => unknown>(): Parser<
  Given | null,
  Given
> => ({
  name: 'function',
  emptyMeansAbsent: true,
  parse: () => fails('can be set in code only'),
  check: (given) =>
    typeof given === 'function' ? reads(given as Given) : fails('must be a function'),
})

/** A hook in the same process. */
export const hookFunction = anyFunction<HookFunction>()

/** A function that returns the host's connection to Redis. */
export const redisClient = anyFunction<RedisClient>()

/** A function that extends the process's lifetime after a response. */
export const waitUntil = anyFunction<WaitUntil>()

/** A function that delivers SMS in place of a carrier. */
export const sendSms = anyFunction<SendSms>()
/** A function that sends mails in place of a mail server. */
export const sendMail = anyFunction<SendMail>()
/** A function that verifies captchas in place of a provider. */
export const verifyCaptcha = anyFunction<VerifyCaptcha>()
/** A function that changes the profiles of a provider. */
export const mapProfile = anyFunction<MapProfile>()

/** A provider that the application defines. */
export const providerDefinition: Parser<ProviderDefinition | null, ProviderDefinition> = {
  name: 'provider',
  emptyMeansAbsent: true,
  parse: () => fails('can be set in code only'),
  check: (given) =>
    isDefinition(given)
      ? reads({ ...given })
      : fails(
          'must be created by defineProvider, oidc or oauth2: a label, endpoints and readProfile',
        ),
}

function isDefinition(given: unknown): given is ProviderDefinition {
  if (typeof given !== 'object' || given === null) return false
  const { label, endpoints, readProfile } = given as Partial<ProviderDefinition>
  return (
    typeof label === 'string' &&
    label !== '' &&
    typeof endpoints === 'function' &&
    typeof readProfile === 'function'
  )
}

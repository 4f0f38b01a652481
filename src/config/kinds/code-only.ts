import { type Logger, silentLogger, steadyLogger } from '../../observability/logger.ts'
import type { SendMail } from '../sections/email.ts'
import type { HookFunction } from '../sections/hooks.ts'
import type { RedisClient } from '../sections/rate-limits.ts'
import type { SendSms } from '../sections/sms.ts'
import { fails, type Kind, reads } from './kind.ts'

/** Where diagnostics go. */
export const logger: Kind<Logger | null, Logger | false> = {
  name: 'logger',
  emptyMeansAbsent: true,
  parse: () => fails('can be given in code alone'),
  check: (given) => {
    if (given === false) return reads(silentLogger)
    return isLogger(given)
      ? reads(steadyLogger(given))
      : fails(
          'must have the methods debug, info, warn, error and fatal, as a pino logger does, or be false',
        )
  },
}

const levels = ['debug', 'info', 'warn', 'error', 'fatal'] as const

function isLogger(given: unknown): given is Logger {
  if (typeof given !== 'object' || given === null) return false
  return levels.every((level) => typeof (given as Partial<Logger>)[level] === 'function')
}

const anyFunction = <Given extends (...given: never[]) => unknown>(): Kind<
  Given | null,
  Given
> => ({
  name: 'function',
  emptyMeansAbsent: true,
  parse: () => fails('can be given in code alone'),
  check: (given) =>
    typeof given === 'function' ? reads(given as Given) : fails('must be a function'),
})

/** A hook in the same process. */
export const hookFunction = anyFunction<HookFunction>()

/** What hands out the host's connection to Redis. */
export const redisClient = anyFunction<RedisClient>()

/** What delivers SMS in place of a carrier. */
export const sendSms = anyFunction<SendSms>()
/** What sends mails in place of a mail server. */
export const sendMail = anyFunction<SendMail>()

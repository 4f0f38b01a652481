import { isError } from '../../platform/kit/is-error.ts'
import type { SmsCarrier } from './sms.ts'

/** Returns a carrier whose errors do not contain its credentials, which a response may quote. */
export function hidingCredentials(
  { send, checkCode, ...others }: SmsCarrier,
  credentials: readonly string[],
): SmsCarrier {
  const fail = (error: unknown): never => {
    if (isError(error)) error.message = withoutAny(error.message, credentials)
    throw error
  }
  return {
    ...others,
    send: (...input) => send(...input).catch(fail),
    ...(checkCode && { checkCode: (...input) => checkCode(...input).catch(fail) }),
  }
}

const withoutAny = (text: string, credentials: readonly string[]): string =>
  credentials.filter((one) => one.length > 3).reduce((rest, one) => rest.replaceAll(one, '…'), text)

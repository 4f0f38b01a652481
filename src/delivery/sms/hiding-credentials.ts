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
  credentials
    .flatMap((one) => [one, inForm(one)])
    .reduce((rest, one) => rest.replaceAll(one, '…'), text)

/** Returns a value as the body of a form contains it. */
const inForm = (value: string): string => `${new URLSearchParams({ value })}`.slice('value='.length)

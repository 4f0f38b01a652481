import { isError } from '../../platform/kit/is-error.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { carrierRefusal, type Sent } from './carrier.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: a function may end without a value
type Answer = void | { messageId?: string | undefined }

/**
 * Passes a message to a function of the application, `email.send` or `sms.send`.
 *
 * @throws an error of `carrierRefusal` for any exception of the function, whose message may quote
 *   the address.
 */
export async function askFunction(
  setting: string,
  call: () => Answer | Promise<Answer>,
  timeoutMs: number,
): Promise<Sent> {
  const sending = Promise.resolve().then(call)
  const sent = await withinTime(sending, timeoutMs, tooSlow).catch((error: unknown) => {
    const { name, message } = isError(error) ? error : new Error(String(error))
    throw carrierRefusal(hideAddresses(`${setting} failed: ${name}: ${message}`), false)
  })
  return { carrierMessageId: sent?.messageId ?? null }
}

const tooSlow = () => new Error('it exceeded its time limit')

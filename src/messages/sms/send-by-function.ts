import type { SendSms } from '../../config/sections/sms.ts'
import { hideAddresses } from '../../kit/hide-addresses.ts'
import { withinTime } from '../../kit/within-time.ts'
import { carrierRefusal } from '../carrier.ts'
import type { SmsCarrier } from './sms-carrier.ts'

/** A carrier that is a function of the application's. */
export const sendByFunction = (send: SendSms, timeoutMs: number): SmsCarrier => ({
  send: async ({ to, text, code, channel }, { id }) => {
    const sms = { id, to: `+${to}`, text, code, channel }
    const sending = Promise.resolve().then(() => send(sms))
    const sent = await withinTime(sending, timeoutMs, tooSlow).catch(refuse)
    return { carrierMessageId: sent?.messageId ?? null }
  },
})

const tooSlow = () => new Error('it did not end in time')

/** What others throw may quote the number that they were given. */
function refuse(error: unknown): never {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  throw carrierRefusal(hideAddresses(`sms.send failed: ${name}: ${message}`), false)
}

import type { SendSms } from '../../config/sections/sms.ts'
import { askFunction } from '../ask-function.ts'
import type { SmsCarrier } from './sms-carrier.ts'

/** A carrier that is a function of the application's. */
export const sendByFunction = (send: SendSms, timeoutMs: number): SmsCarrier => ({
  send: async ({ to, text, code, channel }, { id }) => {
    const sms = { id, to: `+${to}`, text, code, channel }
    return askFunction('sms.send', () => send(sms), timeoutMs)
  },
})

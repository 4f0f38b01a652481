import type { Carrier } from '../carrier.ts'
import type { RenderedSms } from './sms.ts'

export interface SmsCarrier extends Carrier<RenderedSms> {
  /** Whether a code is right, where the carrier makes and checks codes of its own. */
  checkCode?(phone: string, code: string): Promise<boolean>
}

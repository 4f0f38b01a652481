import { isRecord } from '../../platform/kit/is-record.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { carrierRefusal } from '../carriers/carrier.ts'

/** How a carrier on the web is reached. */
export interface CarrierAccess {
  /** For one exchange. */
  timeoutMs: number
  /** In place of the carrier's own, without a slash at its end. */
  baseUrl?: string
}

export interface FormFields {
  url: string
  authorization?: string
  fields: Readonly<Record<string, string>>
}

export type JsonObject = Readonly<Record<string, unknown>>

/** A carrier's answer, as far as it is JSON; an empty object where it is an array or a plain value. */
export interface CarrierAnswer {
  status: number
  json: JsonObject
}

/** Posts a form, its fields in the order of the alphabet. */
export async function postForm(
  { url, authorization, fields }: FormFields,
  { timeoutMs }: CarrierAccess,
): Promise<CarrierAnswer> {
  const form = new URLSearchParams(fields)
  form.sort()
  const { status, text } = await safeFetch(url, {
    trust: 'operator',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization !== undefined && { authorization }),
    },
    body: form.toString(),
    timeoutMs,
  })
  return { status, json: parseObject(status, text) }
}

function parseObject(status: number, text: string): JsonObject {
  try {
    return asObject(JSON.parse(text))
  } catch {
    throw refusal(`The carrier answered ${status} with something that is no JSON`, status)
  }
}

/** A refusal in the carrier's words, save for the number and the code. */
export const refusal = (reason: string, status: number): Error =>
  carrierRefusal(hideAddresses(reason), isFinal(status))

/**
 * Whether asking again would end the same way. An answer that counts as success but is odd is final too:
 * the message may have left, and each costs money.
 */
const isFinal = (status: number): boolean => status < 500 && ![408, 425, 429].includes(status)

/** A value of an answer as an object; an empty one where it is something else. */
export const asObject = (value: unknown): JsonObject => (isRecord(value) ? value : {})

/** The first object of a list; an empty one where there is none. */
export const firstOf = (list: unknown): JsonObject => asObject(Array.isArray(list) ? list[0] : null)

/** A text or number of an answer as text; empty where it is something else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

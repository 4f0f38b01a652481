import { isRecord } from '../../platform/kit/is-record.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { carrierRejection } from '../carriers/carrier.ts'

/** The connection settings of an HTTP carrier. */
export interface CarrierAccess {
  /** The time limit of one exchange. */
  timeoutMs: number
  /** Replaces the carrier's own URL, without a trailing slash. */
  baseUrl?: string
}

export interface FormRequest {
  url: string
  authorization?: string
  fields: Readonly<Record<string, string>>
}

export type JsonObject = Readonly<Record<string, unknown>>

/** A carrier's response, if it is a JSON object; an empty object otherwise. */
export interface CarrierAnswer {
  status: number
  json: JsonObject
}

/** Posts a form, its fields in alphabetical order. */
export async function postForm(
  { url, authorization, fields }: FormRequest,
  { timeoutMs }: CarrierAccess,
): Promise<CarrierAnswer> {
  const form = new URLSearchParams(fields)
  form.sort()
  let accepted: number | null = null
  const { status, text } = await safeFetch(url, {
    trust: 'operator',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization !== undefined && { authorization }),
    },
    body: form.toString(),
    timeoutMs,
    onStatus: (received) => {
      if (isSuccess(received)) accepted = received
    },
  }).catch((error: unknown) => {
    if (accepted === null) throw error
    throw rejection(`The carrier returned ${accepted} with a body that cannot be read`, accepted)
  })
  return { status, json: parseObject(status, text) }
}

function parseObject(status: number, text: string): JsonObject {
  try {
    return asObject(JSON.parse(text))
  } catch {
    throw rejection(`The carrier returned ${status} with a body that is not JSON`, status)
  }
}

/** Creates a rejection with the carrier's message, without numbers and codes. */
export const rejection = (reason: string, status: number): Error =>
  carrierRejection(hideAddresses(reason), { isFinal: isFinal(status) })

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * Reports whether a retry would fail as well. A success with an unexpected body is final, too: the
 * message may have been sent, and each costs money.
 */
const isFinal = (status: number): boolean => status < 500 && ![408, 425, 429].includes(status)

/** Returns a value as an object; an empty one for other types. */
export const asObject = (value: unknown): JsonObject => (isRecord(value) ? value : {})

/** Returns the first object of a list; an empty one if there is none. */
export const firstOf = (list: unknown): JsonObject => asObject(Array.isArray(list) ? list[0] : null)

/** Returns a string or number as text; empty for other types. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

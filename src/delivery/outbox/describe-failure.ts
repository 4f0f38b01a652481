import { isError } from '../../platform/kit/is-error.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { isCarrierRefusal } from '../carriers/carrier.ts'

const maxLength = 300

/**
 * Why a carrier did not take a message, in words that may be logged and kept. Functions of the
 * application throw what they like, so that nothing which the message says is repeated: no address,
 * code or link.
 *
 * @param body the message, as JSON; empty where it could not be read.
 */
export function describeFailure(error: unknown, body: string): string {
  if (!isError(error)) return 'unknown'
  const words = hideContent(textOr(error.message, ''), body)
  // A refusal was worded with care, and its numbers, such as `451 4.7.1`, are what one needs to know.
  const told = isCarrierRefusal(error) ? words : hideAddresses(words)
  return told.slice(0, maxLength) || textOr(error.name, 'unknown')
}

/** What an application puts into its errors, such as the answer of another service, is anything. */
const textOr = (value: unknown, instead: string): string =>
  typeof value === 'string' ? value : instead

function hideContent(text: string, body: string): string {
  const hidden = secretsOf(body).filter((secret) => text.includes(secret))
  // The longest first: a link holds its secret, which holds, by chance, the code.
  const longestFirst = hidden.toSorted((a, b) => b.length - a.length)
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

/** Every text of the message that is more than a word: what holds a digit or an `@`. */
function secretsOf(body: string): string[] {
  const secrets: string[] = []
  JSON.parse(body || 'null', (_key, value: unknown) => {
    if (typeof value === 'string' && value.length > 3 && /[\d@]/.test(value)) secrets.push(value)
  })
  return secrets
}

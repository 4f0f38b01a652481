import { isError } from '../../platform/kit/is-error.ts'
import { hideAddresses } from '../../platform/observability/hide-addresses.ts'
import { isCarrierRefusal } from '../carriers/carrier.ts'

const maxLength = 300

/**
 * Describes a carrier's failure for logs and storage. Functions of the application may throw any
 * value, so parts of the message are removed from the text: addresses, codes and links.
 *
 * @param body the message, as JSON; empty if it could not be read.
 */
export function describeFailure(error: unknown, body: string): string {
  if (!isError(error)) return 'unknown'
  const words = hideContent(textOr(error.message, ''), body)
  // A rejection contains no sensitive data, and its numbers, such as `451 4.7.1`, identify the
  // problem.
  const told = isCarrierRefusal(error) ? words : hideAddresses(words)
  return told.slice(0, maxLength) || textOr(error.name, 'unknown')
}

/** An application's error may contain any text, such as another service's response. */
const textOr = (value: unknown, instead: string): string =>
  typeof value === 'string' ? value : instead

function hideContent(text: string, body: string): string {
  const hidden = secretsOf(body).filter((secret) => text.includes(secret))
  // The longest first: a link contains its secret, which may contain the code by chance.
  const longestFirst = hidden.toSorted((a, b) => b.length - a.length)
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

/** Returns the texts of a message that contain a digit or an `@`. */
function secretsOf(body: string): string[] {
  const secrets: string[] = []
  JSON.parse(body || 'null', (_key, value: unknown) => {
    if (typeof value === 'string' && value.length > 3 && /[\d@]/.test(value)) secrets.push(value)
  })
  return secrets
}

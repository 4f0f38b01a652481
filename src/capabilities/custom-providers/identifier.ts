import { customPrefix } from '../../credentials/external/provider.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'

const form = /^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$/

/** Returns whether a text is an identifier of registered providers. */
export const isIdentifier = (given: unknown): given is string =>
  typeof given === 'string' && given.startsWith(customPrefix) && form.test(given)

/**
 * Requires an identifier of registered providers.
 *
 * @throws AuthError `validation_failed` (400).
 */
export function requireIdentifier(given: unknown): string {
  if (isIdentifier(given)) return given
  throw validationFailed(
    'identifier: has to be custom: and a name of lower-case letters, digits, : and -, with at most ' +
      '50 characters together',
  )
}

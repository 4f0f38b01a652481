import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'

const customProvidersDisabled = (): AuthError =>
  new AuthError('feature_disabled', 404, 'Custom OAuth providers are disabled')

export const customProviderNotFound = (): AuthError =>
  new AuthError('custom_provider_not_found', 404, 'Custom OAuth provider not found')

export const tooManyCustomProviders = (): AuthError =>
  new AuthError(
    'over_custom_provider_quota',
    400,
    'Maximum number of custom OAuth/OIDC providers reached',
  )

/** The configuration, or another registered provider, has this identifier. */
export const identifierTaken = (): AuthError =>
  new AuthError('conflict', 400, 'identifier: another provider has this identifier')

/**
 * Rejects the request where the configuration disables registered providers.
 *
 * @throws AuthError `feature_disabled` (404).
 */
export function requireCustomProviders({ config }: { config: Config }): void {
  if (!config.customOauth.enabled) throw customProvidersDisabled()
}

import type { Config } from '../../../platform/config/config.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'

const oauthServerDisabled = (): AuthError =>
  new AuthError('feature_disabled', 404, 'OAuth server is disabled')

const deviceFlowDisabled = (): AuthError =>
  new AuthError('feature_disabled', 404, 'The device flow is disabled')

const registrationDisabled = (): AuthError =>
  new AuthError(
    'oauth_dynamic_client_registration_disabled',
    403,
    'Dynamic client registration is not enabled',
  )

export const clientNotFound = (status = 404): AuthError =>
  new AuthError('oauth_client_not_found', status, 'OAuth client not found')

/**
 * No such request, one of another user, or an expired one. The response does not distinguish them.
 */
export const authorizationNotFound = (): AuthError =>
  new AuthError('oauth_authorization_not_found', 404, 'authorization not found')

export const consentNotFound = (): AuthError =>
  new AuthError('oauth_consent_not_found', 404, 'No active grant found for this client')

/** An error of a client that speaks OAuth. @see RFC 6749 §5.2, RFC 7591 §3.2.2 */
export const oauthError = (error: string, description: string, status = 400): AuthError =>
  new AuthError(
    error === 'invalid_client' ? 'invalid_credentials' : 'validation_failed',
    status,
    description,
    { oauthError: error },
  )

export const invalidRequest = (description: string): AuthError =>
  oauthError('invalid_request', description)

export const invalidGrant = (description: string): AuthError =>
  oauthError('invalid_grant', description)

/**
 * Rejects the request where the configuration does not enable the OAuth server.
 *
 * @throws AuthError `feature_disabled` (404).
 */
export function requireOauthServer({ config }: { config: Config }): void {
  if (!config.oauthServer.enabled) throw oauthServerDisabled()
}

/**
 * Rejects the request where the configuration does not enable the grant of devices.
 *
 * @throws AuthError `feature_disabled` (404).
 */
export function requireDeviceFlow(needs: { config: Config }): void {
  requireOauthServer(needs)
  if (!needs.config.oauthServer.deviceFlow.enabled) throw deviceFlowDisabled()
}

/**
 * Rejects the request where clients cannot register themselves.
 *
 * @throws AuthError `feature_disabled` (404), `oauth_dynamic_client_registration_disabled` (403).
 */
export function requireRegistration(needs: { config: Config }): void {
  requireOauthServer(needs)
  if (!needs.config.oauthServer.allowDynamicRegistration) throw registrationDisabled()
}

import type { Config } from '../../platform/config/config.ts'
import { deviceFlowDisabled, oauthServerDisabled, registrationDisabled } from './oauth-errors.ts'

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

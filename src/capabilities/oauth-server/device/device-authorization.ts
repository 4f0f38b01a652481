import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { consentUrl, readResource, readScope } from '../authorize/authorize.ts'
import { insertAuthorization } from '../authorize/insert-authorization.sql.ts'
import { authenticateClient, requireGrant } from '../clients/resolve-credentials.ts'
import { deviceGrant } from '../protocol/grant-types.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { hashesOfUserCode, hashOfDeviceCode, newDeviceCode, newUserCode } from './device-codes.ts'

/** The seconds that a device has to wait between its requests. @see RFC 8628 §3.2 */
const intervalSeconds = 5

/** The codes of a device that requests access. */
export interface DeviceAuthorization {
  deviceCode: string
  userCode: string
  verificationUri: string
  verificationUriComplete: string
  expiresInSeconds: number
  intervalSeconds: number
}

/**
 * Stores the request of a device, whose user enters the code on the page of the site.
 *
 * @throws AuthError `invalid_client`, `unauthorized_client`, `invalid_scope`, `invalid_target`.
 * @see RFC 8628 §3.1
 */
export async function authorizeDevice(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<DeviceAuthorization> {
  const client = await authenticateClient(ctx, event, parameters)
  requireGrant(client, deviceGrant)
  const { config, clock, random } = ctx
  const { authorizationLifetimeSeconds: lifetimeSeconds, deviceFlow } = config.oauthServer
  const scope = readScope(ctx, client, parameters('scope'))
  const resource = readResource(ctx, parameters('resource'))
  const verificationUri = consentUrl(ctx, deviceFlow.path, {})
  const expiresAt = new Date(clock.now().getTime() + lifetimeSeconds * 1000)
  const deviceCode = newDeviceCode(random, expiresAt)
  // Another request has the same code once in 25 billion times the number of open requests.
  for (;;) {
    const userCode = newUserCode(random)
    const isStored = await insertAuthorization(ctx, {
      id: random.hex(16),
      client,
      request: {
        redirect_uri: verificationUri,
        scope,
        ...(resource !== undefined && { resource }),
        interval: intervalSeconds,
      },
      status: 'pending',
      secretHash: hashOfDeviceCode(deviceCode),
      userCodeHash: hashesOfUserCode(ctx, userCode)[0],
    })
    if (!isStored) continue
    return {
      deviceCode,
      userCode,
      verificationUri,
      verificationUriComplete: consentUrl(ctx, deviceFlow.path, { user_code: userCode }),
      expiresInSeconds: lifetimeSeconds,
      intervalSeconds,
    }
  }
}

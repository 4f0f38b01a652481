import type { H3Event } from 'h3'
import type { ClientCredentials } from '../clients/client-credentials.ts'
import { hashOfDeviceCode, isExpiredDeviceCode } from '../device/device-codes.ts'
import { pollDeviceRequest } from '../device/device-poll.sql.ts'
import { deviceGrant } from '../protocol/grant-types.ts'
import { invalidGrant, invalidRequest, oauthError } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { openClientSession } from './exchange-code.ts'
import type { ClientTokens, TokenRequest } from './token-response.ts'

/**
 * Exchanges the code of a device for tokens, once its user has consented.
 *
 * @throws AuthError `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, and
 *   the errors of `exchangeCode`.
 * @see RFC 8628 §3.4
 */
export async function exchangeDeviceCode(
  request: TokenRequest,
  event: H3Event,
  credentials: ClientCredentials,
  parameters: OauthParameters,
): Promise<ClientTokens> {
  const deviceCode = parameters('device_code')
  if (deviceCode === undefined) throw invalidRequest('device_code is required')
  const codeHash = hashOfDeviceCode(deviceCode)
  const tokens = await openClientSession(request, event, credentials, {
    grant: deviceGrant,
    codeHash,
    codeChallenge: '',
    redirectUri: null,
    resource: parameters('resource') ?? null,
  })
  if (tokens) return tokens
  const { sql, clock } = request.ctx
  const now = clock.now()
  const { clientId } = credentials
  const polled = await pollDeviceRequest(sql, { codeHash, clientId, now })
  if (polled?.status === 'denied') throw oauthError('access_denied', 'User denied the request')
  if (polled?.is_expired ?? isExpiredDeviceCode(deviceCode, now)) {
    throw oauthError('expired_token', 'The device code has expired')
  }
  if (polled?.status === 'approved') {
    throw oauthError('access_denied', 'The session of the user who approved the request has ended')
  }
  if (polled?.status === 'pending') {
    throw polled.is_early
      ? oauthError('slow_down', 'The device requests its tokens too often')
      : oauthError('authorization_pending', 'The user has not decided yet')
  }
  throw invalidGrant('The device code is invalid or was used, or belongs to another request')
}

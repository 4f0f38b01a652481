import type { Config } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { type Chain, chainLabels } from './chain.ts'

/** @param chain the disabled one; null where all are. */
export const web3ProviderDisabled = (chain: Chain | null): AuthError =>
  new AuthError(
    'web3_provider_disabled',
    422,
    `${chain === null ? '' : `${chainLabels[chain]} `}Web3 provider is disabled`,
  )

export const unsupportedChain = (): AuthError =>
  new AuthError('web3_unsupported_chain', 400, 'Unsupported chain')

export const signatureMismatch = (): AuthError =>
  invalidGrant('Signature does not match address in message')

export const insecureUri = (chain: Chain): AuthError =>
  invalidSigned(chain, 'message is using URI which does not use HTTPS')

export const foreignUri = (chain: Chain): AuthError =>
  invalidSigned(
    chain,
    'message is using URI which is not allowed on this server, message was signed for another app',
  )

export const foreignDomain = (chain: Chain): AuthError =>
  invalidSigned(
    chain,
    'message is using a Domain that does not match the one in URI which is not allowed on this server',
  )

export const notValidYet = (chain: Chain): AuthError =>
  invalidSigned(chain, 'message becomes valid in the future')

export const messageExpired = (chain: Chain): AuthError =>
  invalidSigned(chain, 'message is expired')

export const messageTooOld = (chain: Chain): AuthError =>
  invalidGrant(`${chainLabels[chain]} message was issued too long ago`)

export const messageTooNew = (chain: Chain): AuthError =>
  invalidGrant(`${chainLabels[chain]} message was issued too far in the future`)

export const messageSpent = (chain: Chain): AuthError =>
  invalidSigned(chain, 'message was used before')

const invalidSigned = (chain: Chain, reason: string): AuthError =>
  invalidGrant(`Signed ${chainLabels[chain]} ${reason}`)

const invalidGrant = (description: string): AuthError =>
  new AuthError('invalid_credentials', 400, description, { oauthError: 'invalid_grant' })

/**
 * Rejects all callers where sign-in by wallet is disabled.
 *
 * @throws AuthError `web3_provider_disabled` (422).
 */
export function requireWallets({ config }: { config: Config }): void {
  const { solanaEnabled, ethereumEnabled } = config.web3
  if (!solanaEnabled && !ethereumEnabled) throw web3ProviderDisabled(null)
}

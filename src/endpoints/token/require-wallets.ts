import { web3ProviderDisabled } from '../../credentials/wallets/wallet-errors.ts'
import type { Config } from '../../platform/config/config.ts'

/**
 * Rejects all callers where sign-in by wallet is disabled.
 *
 * @throws AuthError `web3_provider_disabled` (422).
 */
export function requireWallets({ config }: { config: Config }): void {
  const { solanaEnabled, ethereumEnabled } = config.web3
  if (!solanaEnabled && !ethereumEnabled) throw web3ProviderDisabled(null)
}

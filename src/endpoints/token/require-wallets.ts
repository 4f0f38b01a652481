import { web3ProviderDisabled } from '../../credentials/wallets/wallet-errors.ts'
import type { Config } from '../../platform/config/config.ts'

/**
 * Rejects every caller where no wallets sign in.
 *
 * @throws AuthError `web3_provider_disabled` (422).
 */
export function requireWallets({ config }: { config: Config }): void {
  const { solanaEnabled, ethereumEnabled } = config.web3
  if (!solanaEnabled && !ethereumEnabled) throw web3ProviderDisabled(null)
}

import { nilUuid } from '../../platform/kit/uuid.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { metadataOfNewcomer } from './newcomer.ts'

/**
 * Refuses what somebody says who comes with an address, where it would be too large together with what
 * is stored beside it. Asked before anything is looked up, so that the answer tells nothing.
 *
 * @throws AuthError `validation_failed` (422).
 */
export function requireNewcomerFits(
  { config }: Pick<AuthContext, 'config'>,
  address: Address,
  data: Record<string, unknown>,
): void {
  const userMetadata = metadataOfNewcomer(nilUuid, { address, data, confirmed: false })
  requireMetadataFits(config, { userMetadata })
}

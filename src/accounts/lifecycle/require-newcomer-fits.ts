import { nilUuid } from '../../platform/kit/uuid.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { requireMetadataFits } from '../users/metadata.ts'
import { metadataOfNewcomer } from './newcomer.ts'

/**
 * Rejects the data of a new user where the metadata would be too large together with the facts that
 * are stored beside it. It runs before any look-up, so that the response does not reveal an
 * account.
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

import { factorBox } from '../../accounts/factors/factor-secret.ts'
import { providerTokenBox } from '../../accounts/users/provider-token.ts'
import { signingKeyBox } from '../../credentials/access-tokens/managed-key-rows.ts'
import { outboxBox } from '../../delivery/outbox/outbox-row.ts'
import { linkConfirmationBox } from '../../endpoints/external-sign-in/link-confirmation.ts'
import type { SealedColumn } from '../../platform/sql/sealed-column.ts'
import { builtInCapabilities } from '../../service/capabilities.ts'

/** All columns whose values are sealed. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'factors', column: 'secret', id: 'id', name: 'factors', boxOf: factorBox },
  {
    table: 'provider_tokens',
    column: 'sealed_access_token',
    id: 'identity_id',
    name: 'provider access tokens',
    boxOf: (id) => providerTokenBox('access', id),
  },
  {
    table: 'provider_tokens',
    column: 'sealed_refresh_token',
    id: 'identity_id',
    name: 'provider refresh tokens',
    boxOf: (id) => providerTokenBox('refresh', id),
    // A running renewal stores its result only if the sealed token is still the one that it read,
    // and the provider may have revoked that one by then.
    isFree: `(renewing_until is null or renewing_until < now() - interval '10 minutes')`,
  },
  {
    table: 'signing_keys',
    column: 'private_jwk',
    id: 'id',
    idType: 'text',
    name: 'signing keys',
    boxOf: signingKeyBox,
    inUse: 'retired_at is null',
  },
  { table: 'outbox_messages', column: 'body', id: 'id', name: 'messages', boxOf: outboxBox },
  {
    table: 'oauth_states',
    column: 'proved_identity',
    id: 'id',
    name: 'identities to confirm',
    boxOf: linkConfirmationBox,
    inUse: 'expires_at > now()',
  },
  {
    table: 'authorization_codes',
    column: 'sealed_tokens',
    id: 'id',
    name: 'authorization codes',
    // The code is part of the context, and only its hash is stored.
    boxOf: null,
    inUse: 'expires_at > now()',
  },
  ...builtInCapabilities.flatMap(({ sealedColumns: own = [] }) => own),
]

/**
 * A condition for rows with a sealed value that is in use. In development, signing keys are not
 * sealed.
 */
export const isSealed = ({ column, inUse = 'true' }: SealedColumn): string =>
  `${column} like 'v_.%' and ${inUse}`

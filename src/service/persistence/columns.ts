import type { DecisionEntity } from '../../accounts/decisions/decision.entity.ts'
import type { ImportedFactor } from '../../accounts/factors/factor.entity.ts'
import { personalTables } from '../../accounts/lifecycle/personal-tables.ts'
import type { ImportedPasskey } from '../../accounts/passkeys/passkey.entity.ts'
import type { ImportedSession } from '../../accounts/sessions/imported-session.entity.ts'
import type { SigningKey } from '../../credentials/access-tokens/signing-key.entity.ts'
import type { SpentIdToken } from '../../credentials/external/spent-id-token.entity.ts'
import type { SpentWalletMessage } from '../../credentials/wallets/spent-wallet-message.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { builtInColumns, builtInTables } from '../capabilities.ts'

/**
 * Lists all columns of a table without personal data. Does not compile while a column of its entity
 * is missing.
 */
const columnsOf = <Entity>(names: Record<keyof RowOf<Entity>, true>): string[] => Object.keys(names)

/**
 * The tables and their columns in this version: an insert names each. The entities contain the
 * same, but would load the ORM. Columns of a later version in the database are not written.
 */
export const columns: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.values({ ...personalTables, ...builtInTables }).map((table) => [
      table.name,
      Object.keys(table.columns),
    ]),
  ),
  ...builtInColumns,
  imported_factors: columnsOf<ImportedFactor>({ id: true }),
  imported_passkeys: columnsOf<ImportedPasskey>({ id: true }),
  imported_sessions: columnsOf<ImportedSession>({ id: true }),
  signing_keys: columnsOf<SigningKey>({
    id: true,
    algorithm: true,
    public_jwk: true,
    private_jwk: true,
    signs_from: true,
    retired_at: true,
    created_at: true,
  }),
  decisions: columnsOf<DecisionEntity>({
    id: true,
    request_id: true,
    created_at: true,
    expires_at: true,
    endpoint: true,
    status: true,
    kind: true,
    rule: true,
  }),
  spent_id_tokens: columnsOf<SpentIdToken>({ token_hash: true, expires_at: true }),
  spent_wallet_messages: columnsOf<SpentWalletMessage>({ message_hash: true, expires_at: true }),
}

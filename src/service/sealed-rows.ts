import type { Deps } from '../accounts/auth-context.ts'
import { factorBox } from '../accounts/factors/factor-secret.ts'
import {
  countTokensOfMissingKeys,
  type TokensOfKey,
} from '../accounts/sessions/imported-token-keys.sql.ts'
import { providerTokenBox } from '../accounts/users/provider-token.ts'
import { signingKeyBox } from '../credentials/access-tokens/managed-key-rows.ts'
import { outboxBox } from '../delivery/outbox/outbox-row.ts'
import { linkConfirmationBox } from '../endpoints/external-sign-in/link-confirmation.ts'
import type { Config } from '../platform/config/config.ts'
import type { RootKeys } from '../platform/kit/derived-keys.ts'
import { keyIdOf } from '../platform/kit/sealed-box.ts'
import { describeFault } from '../platform/observability/describe-fault.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { SealedColumn } from '../platform/sql/sealed-column.ts'
import { statement } from '../platform/sql/statement.ts'
import { builtInCapabilities } from './capabilities.ts'

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

/** A root key, and the sealed values that need it. */
export interface RootKeyUse {
  /** Null for values in the format before 0.1.0, which does not name the key. */
  keyId: string | null
  state: 'current' | 'former' | 'missing' | 'unnamed'
  /** Number of values, by their name; names without values are absent. */
  counts: Readonly<Record<string, number>>
  total: number
}

const count = statement<object, { name: string; key_id: string; values: number }>(
  'count_sealed_rows',
  (sql) =>
    sealedColumns
      .map(
        (column) => `
    select '${column.name}' as name, count(*)::int as values,
      case when ${column.column} like 'v2.%' then split_part(${column.column}, '.', 2) else '' end as key_id
    from ${sql.table(column.table)} where ${isSealed(column)} group by key_id`,
      )
      .join('\n    union all'),
  { unprepared: 'it runs once per process' },
)

/**
 * Counts the sealed values of each root key: the configured keys, the current one first, then keys
 * that are not configured. Reads the tables with sealed values once.
 */
export async function countSealedRows(sql: Queryable, roots: RootKeys): Promise<RootKeyUse[]> {
  const rows = await sql.query(count, {})
  const configured = [...new Set([roots.current, ...roots.all].map(keyIdOf))]
  const found = rows.map((row) => row.key_id)
  const missing = [...new Set(found)].filter((id) => id !== '' && !configured.includes(id)).sort()
  const uses = [...configured, ...missing, ...(found.includes('') ? [''] : [])].map((id, index) => {
    const own = rows.filter((row) => row.key_id === id)
    return {
      keyId: id === '' ? null : id,
      state: stateOf(id, index, configured.length),
      counts: Object.fromEntries(own.map(({ name, values }) => [name, values])),
      total: own.reduce((sum, { values }) => sum + values, 0),
    }
  })
  return uses
}

function stateOf(id: string, index: number, configured: number): RootKeyUse['state'] {
  if (id === '') return 'unnamed'
  if (index >= configured) return 'missing'
  return index === 0 ? 'current' : 'former'
}

/** `factors 10, signing keys 2`. */
export const describeCounts = (counts: RootKeyUse['counts']): string =>
  Object.entries(counts)
    .map(([name, values]) => `${name} ${values}`)
    .join(', ')

/** `hashes imported refresh tokens 10`. */
export const describeTokens = ({ tokens }: Pick<TokensOfKey, 'tokens'>): string =>
  `hashes imported refresh tokens ${tokens}`

const missingKeyMessage =
  'stored values are sealed with a root key that is not configured: add it to AUTH_ENCRYPTION_KEY after the ' +
  'current one, then run latchkey keys reseal'

/** A service of another folder, with a root key of its own, created the values. */
const otherFolderMessage =
  'stored values are sealed with another root key than that of .latchkey/root-key in this folder: for a shared ' +
  'database, copy that file from the folder of the service that created them, or set encryptionKey ' +
  '(AUTH_ENCRYPTION_KEY) to the same value in all folders'

const missingHashKeyMessage =
  'imported refresh tokens are hashed with a root key that is not configured, so their sessions are not renewed: ' +
  'add it to AUTH_ENCRYPTION_KEY after the current one'

/**
 * Logs a warning at start if root keys that are not configured sealed values, or hashed imported
 * refresh tokens. Never rejects.
 */
export async function warnOfMissingKeys({
  database,
  roots,
  logger,
  config,
}: Pick<Deps, 'database' | 'roots' | 'logger'> & {
  config: Pick<Config, 'development' | 'encryptionKeys' | 'jwt'>
}): Promise<void> {
  const { development, encryptionKeys, jwt } = config
  const isGenerated = development && encryptionKeys.length === 0 && jwt.secrets.length === 0
  try {
    for (const { keyId, state, counts } of await countSealedRows(database.sql, roots)) {
      if (state !== 'missing') continue
      logger.warn(
        { root_key: keyId, sealed: counts },
        isGenerated ? otherFolderMessage : missingKeyMessage,
      )
    }
    for (const { keyId, tokens } of await countTokensOfMissingKeys(database.sql, roots)) {
      logger.warn({ root_key: keyId, imported_tokens: tokens }, missingHashKeyMessage)
    }
  } catch (error) {
    logger.warn({ fault: describeFault(error) }, 'root keys were not checked')
  }
}

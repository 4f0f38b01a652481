import { sha256Hex } from '../../platform/kit/digest.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { WalletMessage } from './read-wallet-message.ts'

const consume = statement<{ messageRows: Rows<'spent_wallet_messages'> }>(
  'spend_wallet_message',
  (sql, $) =>
    `${sql.insertRows('spent_wallet_messages', $.messageRows)} on conflict do nothing returning 1`,
)

/**
 * Consumes a message, so that only one of several requests with it succeeds. The hash covers the
 * message, which contains the address, and not the signature, of which there may be several.
 *
 * @param expiresAt the time after which it is rejected as too old.
 * @returns false where it was already consumed.
 */
export async function consumeWalletMessage(
  sql: Queryable,
  { chain, text }: WalletMessage,
  expiresAt: Date,
): Promise<boolean> {
  const row = {
    message_hash: sha256Hex(`${chain}\n${text}`),
    expires_at: expiresAt.toISOString(),
  }
  const spent = await sql.query(consume, { messageRows: rowsOf('spent_wallet_messages', row) })
  return spent.length > 0
}

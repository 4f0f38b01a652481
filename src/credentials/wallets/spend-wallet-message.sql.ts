import { sha256Hex } from '../../platform/kit/digest.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { WalletMessage } from './read-wallet-message.ts'

const spend = statement<{ messageRows: Rows<'spent_wallet_messages'> }>(
  'spend_wallet_message',
  (sql, $) =>
    `${sql.insertRows('spent_wallet_messages', $.messageRows)} on conflict do nothing returning 1`,
)

/**
 * Spends a message: of many who come with the same, one is let in. It counts by itself and not by its signature, of which
 * there may be several; the address is in it.
 *
 * @param expiresAt when it is refused by its age.
 * @returns false when it was spent before.
 */
export async function spendWalletMessage(
  sql: Queryable,
  { chain, text }: WalletMessage,
  expiresAt: Date,
): Promise<boolean> {
  const row = {
    message_hash: sha256Hex(`${chain}\n${text}`),
    expires_at: expiresAt.toISOString(),
  }
  const spent = await sql.query(spend, { messageRows: rowsOf('spent_wallet_messages', row) })
  return spent.length > 0
}

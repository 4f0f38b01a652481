import type { AuthContext } from '../../deps.ts'
import { statement } from '../../sql/statement.ts'
import { byRule, holderQuery, type KeyCheck, type KeyHolder, keyCheck } from './key-holder.sql.ts'

const findFor = byRule((singlePerUser) =>
  statement<KeyCheck, { holder: KeyHolder }>('find_key_holder', (sql, $) =>
    holderQuery(sql, $, singlePerUser),
  ),
)

/** Whose key it is; null for one that opens nothing, or nothing any more. */
export async function findKeyHolder(ctx: AuthContext, keyHash: string): Promise<KeyHolder | null> {
  const [row] = await ctx.sql.query(findFor(ctx), keyCheck(ctx, keyHash))
  return row?.holder ?? null
}

import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

/**
 * The part of a hash that determines the time of its verification, for the forms that are
 * supported. It contains neither salt nor result.
 */
const kindForm =
  '^([$]2.[$]..|[$]argon2[a-z]*[$]v=[0-9]+[$][^$]*|[$]fbscrypt[$][^$]*|pbkdf2_[^$]*[$][0-9]+)'

/** The form of hashes with one fixed cost, which they do not contain. */
const hexadecimalForm = '^[0-9a-f]+:[0-9a-f]+$'

const find = statement<{ except: string; limit: number }, { sample: string }>(
  'find_hash_samples',
  (sql, $) => `
    select min(password_hash) as sample from ${sql.table('users')}
    where password_hash is not null and not starts_with(password_hash, ${$.except})
      and deleted_at is null
    group by substring(password_hash from '${kindForm}'), password_hash ~ '${hexadecimalForm}'
    limit ${$.limit}`,
  { unprepared: 'it runs once, at the start' },
)

/**
 * Returns one stored hash of each kind, except hashes with the given prefix. It reads all users, so
 * it must not run while a request waits.
 */
export async function findHashSamples(
  sql: Queryable,
  { except, limit }: { except: string; limit: number },
): Promise<string[]> {
  const rows = await sql.query(find, { except, limit })
  return rows.map(({ sample }) => sample)
}

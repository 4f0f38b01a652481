import type { Queryable } from '../sql/queryable.ts'

/** A managed key as stored. */
export interface SigningKeyRow {
  id: string
  algorithm: string
  private_jwk: string
  signs_from: string
  retired_at: string | null
  created_at: string
}

const columns = ['signs_from', 'retired_at', 'created_at']
  .map((name) => `to_jsonb(${name}) #>> '{}' as ${name}`)
  .join(', ')

/** All keys that were ever made, the one that signs last first. */
export const findAllSigningKeys = (sql: Queryable): Promise<SigningKeyRow[]> =>
  sql.query({
    name: 'find_all_signing_keys',
    text: () => `select id, algorithm, private_jwk, ${columns} from ${sql.table('signing_keys')} k
      order by k.signs_from desc, id`,
    values: [],
  })

/** Keys that still verify, the one that signs last first. */
export const findSigningKeys = async (sql: Queryable): Promise<SigningKeyRow[]> =>
  (await findAllSigningKeys(sql)).filter(({ retired_at: retiredAt }) => retiredAt === null)

/** Lets one process at a time decide about keys, until its transaction ends. */
export async function lockSigningKeys(sql: Queryable): Promise<void> {
  await sql.query({
    name: 'lock_signing_keys',
    text: () => 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`latchkey:signing-keys:${sql.table('signing_keys')}`],
  })
}

export async function insertSigningKey(sql: Queryable, rows: string): Promise<void> {
  await sql.query({
    name: 'insert_signing_key',
    text: () => sql.insertRows('signing_keys', '$1'),
    values: [rows],
  })
}

/** Tokens that this key signed are believed no more. @returns whether there was such a key. */
export async function retireSigningKey(sql: Queryable, id: string, now: Date): Promise<boolean> {
  const retired = await sql.query({
    name: 'retire_signing_key',
    text: () => `update ${sql.table('signing_keys')} set retired_at = $2
      where id = $1 and retired_at is null returning id`,
    values: [id, now.toISOString()],
  })
  return retired.length > 0
}

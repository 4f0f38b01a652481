import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'

/** A managed key as stored. */
export interface SigningKeyRow {
  id: string
  algorithm: string
  /** Empty for a retired key. */
  private_jwk: string
  signs_from: string
  retired_at: string | null
  created_at: string
}

const columns = ['signs_from', 'retired_at', 'created_at']
  .map((name) => `to_jsonb(${name}) #>> '{}' as ${name}`)
  .join(', ')

const findAll = statement<object, SigningKeyRow>(
  'find_all_signing_keys',
  (sql) => `
    select id, algorithm, private_jwk, ${columns} from ${sql.table('signing_keys')} k
    order by k.signs_from desc, id`,
)

/** Returns all keys that were ever created, the latest first. */
export const findAllSigningKeys = (sql: Queryable): Promise<SigningKeyRow[]> =>
  sql.query(findAll, {})

/** Returns the keys that still verify, the latest first. */
export const findSigningKeys = async (sql: Queryable): Promise<SigningKeyRow[]> =>
  (await findAllSigningKeys(sql)).filter(({ retired_at: retiredAt }) => retiredAt === null)

const findState = statement<object, { state: string | null }>(
  'find_state_of_signing_keys',
  (sql) => `
    select string_agg(id || ' ' || extract(epoch from signs_from), ',' order by id) as state
    from ${sql.table('signing_keys')} where retired_at is null`,
)

/** Returns a text that changes with the keys that verify and the times from which they sign. */
export const findStateOfSigningKeys = async (sql: Queryable): Promise<string> =>
  (await sql.query(findState, {}))[0]?.state ?? ''

const lock = statement<{ key: string }>(
  'lock_signing_keys',
  (_, $) => `select pg_advisory_xact_lock(hashtextextended(${$.key}, 0))`,
)

/** Locks the keys until the end of the transaction, so that one process at a time changes them. */
export async function lockSigningKeys(sql: Queryable): Promise<void> {
  await sql.query(lock, { key: `latchkey:signing-keys:${sql.table('signing_keys')}` })
}

const insert = statement<{ keyRows: Rows<'signing_keys'> }>('insert_signing_key', (sql, $) =>
  sql.insertRows('signing_keys', $.keyRows),
)

export async function insertSigningKey(
  sql: Queryable,
  keyRows: Rows<'signing_keys'>,
): Promise<void> {
  await sql.query(insert, { keyRows })
}

const retire = statement<{ id: string; now: string }>(
  'retire_signing_key',
  (sql, $) => `
    update ${sql.table('signing_keys')} set retired_at = ${$.now}, private_jwk = ''
    where id = ${$.id} and retired_at is null returning id`,
)

/**
 * Ends the acceptance of tokens that a key signed, and deletes its private key.
 *
 * @returns whether the key existed and was not retired.
 */
export async function retireSigningKey(sql: Queryable, id: string, now: Date): Promise<boolean> {
  const retired = await sql.query(retire, { id, now: now.toISOString() })
  return retired.length > 0
}

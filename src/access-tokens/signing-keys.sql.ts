import type { Queryable } from '../kit/queryable.ts'

export interface SigningKeyRow {
  id: string
  private_jwk: string
}

/** Keys that still verify, the one that signs first. */
export const findSigningKeys = (sql: Queryable): Promise<SigningKeyRow[]> =>
  sql.query({
    name: 'find_signing_keys',
    text: `select id, private_jwk from ${sql.table('signing_keys')}
      where retired_at is null order by signs_from desc, id`,
    values: [],
  })

/** Lets one process at a time decide about keys, until its transaction ends. */
export async function lockSigningKeys(sql: Queryable): Promise<void> {
  await sql.query({
    name: 'lock_signing_keys',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`latchkey:signing-keys:${sql.table('signing_keys')}`],
  })
}

export async function insertSigningKey(sql: Queryable, rows: string): Promise<void> {
  await sql.query({
    name: 'insert_signing_key',
    text: sql.insertRows('signing_keys', '$1'),
    values: [rows],
  })
}

import { createHash, randomUUID } from 'node:crypto'
import type { TestAuth } from './test-auth.ts'

/** Stores a trusted device of the user in the database; its secret is its id. */
export async function givenTrustedDevice(auth: TestAuth, userId: string): Promise<string> {
  const id = randomUUID()
  const now = auth.clock.now()
  await auth.rows(
    `insert into auth.trusted_devices
      (id, user_id, secret_hash, user_agent, created_at, last_used_at, expires_at)
      values ($1, $2, $3, 'given', $4, $4, $5)`,
    [
      id,
      userId,
      createHash('sha256').update(id).digest('hex'),
      now.toISOString(),
      new Date(now.getTime() + 30 * 24 * 3600 * 1000).toISOString(),
    ],
  )
  return id
}

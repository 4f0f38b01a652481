import { afterAll, vi } from 'vitest'
import { createTestDatabase } from './support/database.ts'

// Runs the example of docs/testing.md: its import registers the tests here.
const database = await createTestDatabase()
vi.stubEnv('TEST_DATABASE_URL', database.url)
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.drop()
})

await import('../examples/vitest/refund.ts')

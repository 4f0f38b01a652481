import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { frozenVariable } from '../server-process.ts'
import type { Afterwards } from './frozen-server.ts'

/** The tests of the unmodified client. */
const flows = [
  'client',
  'client-admin',
  'client-anonymous',
  'client-changes',
  'client-codes',
  'client-factors',
  'client-id-tokens',
  'client-identities',
  'client-messages',
  'client-operators',
  'client-passkeys',
  'client-wallets',
]

/** Runs them, as they are, against services in processes that are stopped between requests, and whose timers fire during requests alone. */
export function runFlowsFrozen(afterwards: Afterwards): void {
  beforeAll(() => {
    process.env[frozenVariable] = afterwards
  })
  afterAll(() => {
    delete process.env[frozenVariable]
  })

  describe.each(flows)('%s', async (file) => {
    // By another address each time: what is imported twice by one registers its tests once.
    const path = join(import.meta.dirname, `../../${file}.test.ts?${afterwards}`)
    await import(/* @vite-ignore */ path)
  })
}

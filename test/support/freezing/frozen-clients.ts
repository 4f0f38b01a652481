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

/**
 * Runs them unchanged against services in processes that are stopped between requests. Timers fire
 * only during requests.
 */
export function runFlowsFrozen(afterwards: Afterwards): void {
  beforeAll(() => {
    process.env[frozenVariable] = afterwards
  })
  afterAll(() => {
    delete process.env[frozenVariable]
  })

  describe.each(flows)('%s', async (file) => {
    // A different address each time: a module that is imported twice under one would register its
    // tests once.
    const path = join(import.meta.dirname, `../../${file}.test.ts?${afterwards}`)
    await import(/* @vite-ignore */ path)
  })
}

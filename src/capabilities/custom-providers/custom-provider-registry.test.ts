import { expect, it } from 'vitest'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { RegistryNeeds } from '../capability.ts'
import { openCustomProviders } from './custom-provider-registry.ts'

it('S85: the list of providers is read again after the clock was set back', async () => {
  const clock = createTestClock()
  let queries = 0
  const query = async () => {
    queries += 1
    return []
  }
  const config = { customOauth: { enabled: true } }
  const registry = openCustomProviders({
    config,
    clock,
    sql: { query },
  } as unknown as RegistryNeeds)
  await registry.list()
  await registry.list()
  expect(queries).toBe(1)

  clock.advance(-3600)
  await registry.list()

  expect(queries).toBe(2)
})

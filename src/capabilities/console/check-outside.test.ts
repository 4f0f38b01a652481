import { expect, it } from 'vitest'
import { testSecret } from '../../../test/support/test-auth.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import { createOutsideChecks } from './check-outside.ts'

it('S85: the outside checks run again after the clock was set back', async () => {
  const clock = createTestClock()
  const { config } = checkConfig({
    siteUrl: 'https://app.example.test',
    database: 'postgres://latchkey@127.0.0.1/none',
    email: { autoconfirm: true },
    jwt: { secret: testSecret },
  })
  const check = createOutsideChecks({
    deps: { config, clock },
    settings: { nameOf: (path) => path },
  })
  const first = await check()
  expect(await check()).toBe(first)

  clock.advance(-3600)

  expect((await check()).at).toEqual(clock.now())
})

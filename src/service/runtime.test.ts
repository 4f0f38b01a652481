import { expect, it, vi } from 'vitest'
import { createTestDatabase } from '../../test/support/database.ts'
import { testSecret } from '../../test/support/test-auth.ts'
import { createService } from './create-auth.ts'

/** Starts a service that fails after its parts are open, and returns its error. */
async function failedStart(): Promise<unknown> {
  const { url } = await createTestDatabase()
  const service = createService(
    {
      siteUrl: 'https://app.example.test',
      database: url,
      jwt: { secret: testSecret },
      email: { autoconfirm: true },
      rateLimits: { header: 'off' },
    },
    {
      nameOf: (path) => {
        // The setting is named in the log, after the background tasks have started.
        if (path === 'email.smtp.host') throw new Error('the start fails late')
        return path
      },
    },
  )
  const error = await service.auth.ready().catch((reason: unknown) => reason)
  await service.auth.close()
  return error
}

it('leaves no timer of a background task after a failed start', async () => {
  const started: NodeJS.Timeout[] = []
  const setInterval = globalThis.setInterval
  const spy = vi.spyOn(globalThis, 'setInterval').mockImplementation(((
    ...all: Parameters<typeof setInterval>
  ) => {
    const timer = setInterval(...all)
    started.push(timer)
    return timer
  }) as typeof setInterval)
  const clear = vi.spyOn(globalThis, 'clearInterval')

  const error = await failedStart()
  const cleared = clear.mock.calls.map(([timer]) => timer)
  spy.mockRestore()
  clear.mockRestore()

  expect(String(error)).toContain('the start fails late')
  expect(started.length).toBeGreaterThan(0)
  expect(started.filter((timer) => !cleared.includes(timer))).toEqual([])
})

import { expect, it, vi } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import { serve } from '../../../test/support/serve.ts'
import { handleByFetch, srvxLoader } from './handle-by-fetch.ts'

it('responds 503 while srvx cannot be loaded, and does not end the process', async () => {
  const stderrSpy = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const failures = [new Error('the file is missing')]
  const load = srvxLoader(async () => {
    const failure = failures.pop()
    if (failure) throw failure
    return import('srvx/node')
  })
  const app = { fetch: async () => new Response('served') }
  const served = await serve(handleByFetch(app, load))

  const refused = await ask(served.url, 'GET', '/health')
  const answered = await ask(served.url, 'GET', '/health')
  const printed = stderrSpy.mock.calls.map(([text]) => String(text)).join('')
  stderrSpy.mockRestore()
  await served.close()

  expect([refused.status, refused.body.error_code]).toEqual([503, 'service_unavailable'])
  expect([answered.status, answered.text]).toEqual([200, 'served'])
  expect(printed).toContain('srvx cannot be loaded')
})

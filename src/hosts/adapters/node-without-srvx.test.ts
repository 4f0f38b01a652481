import { expect, it, vi } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import { serve } from '../../../test/support/serve.ts'
import { toNode } from './node.ts'

vi.mock('srvx/node', () => {
  throw new Error('the file is missing')
})

it('responds 503 where srvx cannot be loaded, and does not end the process', async () => {
  const stderrSpy = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const served = await serve(toNode({ app: { fetch: async () => new Response('served') } }))

  const refused = await ask(served.url, 'GET', '/health')
  const printed = stderrSpy.mock.calls.map(([text]) => String(text)).join('')
  stderrSpy.mockRestore()
  await served.close()

  expect([refused.status, refused.body.error_code]).toEqual([503, 'service_unavailable'])
  expect(printed).toContain('srvx cannot be loaded')
})

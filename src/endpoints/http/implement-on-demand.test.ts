import type { H3Event } from 'h3'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import { anyone, offeredIf } from './guards.ts'
import type { HandlerService, Implemented } from './implement.ts'
import { implementOnDemand } from './implement-on-demand.ts'

/** An endpoint that is offered or not, and the number of times its code was loaded and opened. */
function given({ isOffered = true, failures = 0 } = {}) {
  const counts = { loaded: 0, opened: 0 }
  const endpoint = {
    method: 'GET',
    path: '/test',
    summary: 'Returns a text.',
    guards: [
      offeredIf(() => {
        if (!isOffered) throw new Error('it is disabled')
      }),
      anyone,
    ],
    answers: { 200: null },
    errors: [],
  } as const satisfies Endpoint
  const route: Implemented<typeof endpoint> = {
    endpoint,
    open: () => {
      counts.opened += 1
      return () => 'served'
    },
    method: null,
  }
  const [implemented] = implementOnDemand([endpoint], async () => {
    counts.loaded += 1
    if (counts.loaded <= failures) throw new Error('the file is missing')
    return [route] as const
  })
  const serve = implemented.open({ deps: { config: {} } } as HandlerService)
  return { counts, implemented, serve: async () => serve({} as H3Event) }
}

describe('an endpoint whose code is loaded on demand', () => {
  it('is opened once for concurrent first requests', async () => {
    const { counts, serve } = given()

    expect(await Promise.all([serve(), serve()])).toEqual(['served', 'served'])
    expect(await serve()).toBe('served')
    expect(counts).toEqual({ loaded: 1, opened: 1 })
  })

  it('rejects requests without its code where it is not offered', async () => {
    const { counts, serve } = given({ isOffered: false })

    await expect(serve()).rejects.toThrow('it is disabled')
    expect(counts).toEqual({ loaded: 0, opened: 0 })
  })

  it('is loaded again by the next request after a failure', async () => {
    const { counts, serve } = given({ failures: 1 })

    await expect(serve()).rejects.toThrow('the file is missing')
    expect(await serve()).toBe('served')
    expect(counts).toEqual({ loaded: 2, opened: 1 })
  })

  it('has no method in code unless it declares one', () => {
    expect(given().implemented.method).toBeNull()
  })
})

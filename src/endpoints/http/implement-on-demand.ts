import type { H3Event } from 'h3'
import { loadOnce } from '../../platform/kit/load-once.ts'
import { guardsOf } from './guards.ts'
import type { HandlerService, Implemented, Serve } from './implement.ts'

/** The endpoints of implementations, in their order. */
type EndpointsOf<Routes extends readonly Implemented[]> = {
  readonly [Key in keyof Routes]: Routes[Key]['endpoint']
}

/**
 * Implements endpoints by code that is loaded where the configuration offers one of them. Elsewhere
 * the guard of each rejects its requests, without the code.
 *
 * @param endpoints in the order of the implementations. Each declares first whether it is offered.
 * @param load loads the implementations.
 */
export const implementOnDemand = <const Routes extends readonly Implemented[]>(
  endpoints: EndpointsOf<Routes>,
  load: () => Promise<Routes>,
): Routes => {
  const loadOne = async (index: number): Promise<Implemented> => {
    const route = (await load())[index]
    if (!route) throw new Error('an endpoint has no implementation')
    return route
  }
  const implemented = endpoints.map(
    (endpoint, index): Implemented => ({
      endpoint,
      open: (service) => openOnDemand(service, endpoint, () => loadOne(index)),
      method:
        endpoint.inCode === undefined
          ? null
          : {
              run: async (call) => {
                const { method } = await loadOne(index)
                if (!method) throw new Error(`${endpoint.inCode} has no implementation`)
                return method.run(call)
              },
            },
    }),
  )
  return implemented as readonly Implemented[] as Routes
}

/** Returns a handler that loads its code for the first request that is offered. */
function openOnDemand(
  service: HandlerService,
  endpoint: Implemented['endpoint'],
  load: () => Promise<Implemented>,
): Serve {
  let loaded: Serve | null = null
  const open = loadOnce(async (): Promise<Serve> => {
    loaded = (await load()).open(service)
    return loaded
  })
  const serveFirst = async (event: H3Event) => {
    guardsOf(endpoint).requires?.(service.deps)
    const serve = await open()
    return serve(event)
  }
  return (event) => (loaded ? loaded(event) : serveFirst(event))
}

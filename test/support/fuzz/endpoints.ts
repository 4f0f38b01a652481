import type { Endpoint } from '../../../src/endpoints/http/endpoint.ts'
import { wireNameOf } from '../../../src/platform/http/inputs.ts'
import { endpoints } from '../../../src/service/endpoints.ts'

/** The endpoints by their registered route. Some share one, such as the grants of `POST /token`. */
export const endpointsByRoute: Readonly<Record<string, readonly Endpoint[]>> = Object.groupBy(
  endpoints,
  ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
) as Record<string, Endpoint[]>

/** Returns the fields of a body, by their names on the wire. */
export const bodyFields = ({ body }: Endpoint): string[] => [...(body?.wireNames.values() ?? [])]

/** Returns the parameters of a query, in the same way. */
export const queryFields = ({ query = {} }: Endpoint): string[] =>
  Object.entries(query).map(([name, kind]) => wireNameOf(name, kind))

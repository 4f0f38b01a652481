import { type Endpoint, routeOf } from '../../../src/endpoints/http/endpoint.ts'
import { guardsOf } from '../../../src/endpoints/http/guards.ts'
import { createEndpoints, serviceOf } from '../../../src/service/create-app.ts'
import { endpoints } from '../../../src/service/endpoints.ts'
import { type Answer, type TestAuth, testPassword } from '../test-auth.ts'

/** The requirements of an endpoint for its callers. */
export type Demand =
  /** None. */
  | { of: 'anybody' }
  /** An operator, by token or by role. */
  | { of: 'operators' }
  /** A user. */
  | {
      of: 'people'
      /** A token that names a session. */
      session?: boolean
      /**
       * The second factor of a user who has one. Otherwise the error is `insufficient_aal`, with
       * this status.
       */
      factor?: 401 | 403 | 422 | undefined
      /** Whether a trusted device replaces the factor. */
      acceptsDevice?: boolean
    }

/** An endpoint, or a method that takes an access token. */
export interface EntryPoint {
  name: string
  demand: Demand
  /** The names of ids in its path or body, such as `user_id`. */
  ids: (keyof Ids)[]
  send(token: string | null, ids: Ids, effect: Effect): Promise<StatusAndCode>
}

/** Status and code of a response; the code is undefined for a success. */
export type StatusAndCode = [status: number, code: string | undefined]

/** The resources that a request refers to. */
export interface Ids {
  user_id: string
  factor_id: string
  passkey_id: string
  device_id: string
  authorization_id: string
  client_id: string
  identifier: string
  challenge_id: string
  session_id: string
  identity_id: string
}

/**
 * The effect of a request: `full` changes something if it is permitted. `harmless` passes the same
 * authorization, and changes nothing that a later request needs.
 */
export type Effect = 'full' | 'harmless'

type PeopleDemand = Extract<Demand, { of: 'people' }>

/** The demand that a description states: the session, and the second factor by its error. */
function describedDemand({ needsSession, errors }: Endpoint): PeopleDemand {
  return {
    of: 'people',
    ...(needsSession && { session: true }),
    ...(errors.includes('insufficient_aal') && { factor: 403 }),
  }
}

/** Statuses of the wire that differ, and a factor that is required of unverified factors only. */
const exceptions: Record<string, Omit<PeopleDemand, 'of'>> = {
  // With a new password.
  'PUT /user': { factor: 401 },
  'POST /factors/:factor_id/challenge': { factor: undefined },
  'POST /factors/:factor_id/verify': { factor: undefined },
  'DELETE /factors/:factor_id': { factor: 422 },
  'DELETE /factors/recovery-codes': { factor: 422 },
  // A request that exists requires the factor: see oauth-flow.test.ts.
  'GET /oauth/authorizations/:authorization_id': { factor: undefined },
  'GET /oauth/device': { factor: undefined },
  'POST /oauth/authorizations/:authorization_id/consent': { factor: 403, acceptsDevice: true },
}

const demands = new Map<string, Demand>(
  endpoints.map((endpoint) => {
    const name = `${endpoint.method} ${routeOf(endpoint.path)}`
    const { caller } = guardsOf(endpoint)
    const of = ({ anyone: 'anybody', user: 'people', operator: 'operators' } as const)[caller]
    return [name, of === 'people' ? { ...describedDemand(endpoint), ...exceptions[name] } : { of }]
  }),
)

/** The endpoints that are not for operators only. */
export const namedEndpoints = [...demands].flatMap(([name, { of }]) =>
  of === 'operators' ? [] : [name],
)

/**
 * Returns the requirements of an endpoint. One without a description is for operators, and so is a
 * new one until its description specifies other callers.
 */
export const demandOf = (name: string): Demand => demands.get(name) ?? { of: 'operators' }

/** Returns every endpoint of a service, from the list of its routes. */
export async function endpointsOf(auth: TestAuth): Promise<EntryPoint[]> {
  const routes = createEndpoints(serviceOf(await auth.deps()))['~routes']
  return routes.flatMap(({ method, route }) =>
    method && method !== 'HEAD' && route ? [endpoint(auth, method, route)] : [],
  )
}

function endpoint(auth: TestAuth, method: string, route: string): EntryPoint {
  const name = `${method} ${route}`
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, id]) => id as keyof Ids)
  return {
    name,
    demand: demandOf(name),
    ids: [
      ...inPath,
      ...(route === '/factors/:factor_id/verify' ? (['challenge_id'] as const) : []),
    ],
    send: async (token, ids, effect) => {
      const answer = await auth.request(method, pathOf(route, ids), {
        ...(token !== null && { token }),
        ...(method !== 'GET' && { body: bodyOf(name, ids, effect) }),
      })
      return statusAndCode(answer)
    },
  }
}

const statusAndCode = ({ status, body }: Answer): StatusAndCode => [status, body?.error_code]

/** The queries of endpoints. Other sessions end, so that the caller can continue. */
const queries: Readonly<Record<string, string>> = {
  '/logout': '?scope=others',
  '/oauth/device': '?user_code=BCDF-GHJK',
  '/user/sessions': '?scope=others',
  '/user/identities/authorize': '?provider=keycloak&skip_http_redirect=true',
}

export const pathOf = (route: string, ids: Partial<Ids>): string =>
  route.replaceAll(/:(\w+)/g, (_, id: keyof Ids) => ids[id] ?? '') + (queries[route] ?? '')

/** Returns a body with an effect at every endpoint. */
export const fullBody = ({ challenge_id }: Pick<Ids, 'challenge_id'>) => ({
  email: 'matrix@example.test',
  new_email: 'matrix2@example.test',
  type: 'recovery',
  password: 'a brand new password',
  role: 'service_role',
  user_metadata: { changed: true },
  data: { changed: true },
  should_soft_delete: true,
  ban_duration: '1h',
  factor_type: 'totp',
  friendly_name: 'changed',
  challenge_id,
  action: 'approve',
  credential: { id: 'AA' },
  code: '123456',
})

function bodyOf(name: string, ids: Ids, effect: Effect): object {
  if (effect === 'full') return fullBody(ids)
  if (demandOf(name).of !== 'people') return {}
  // Requires the second factor, and then rejects the unchanged password.
  if (name === 'PUT /user') return { password: testPassword }
  return { ...fullBody(ids), password: 'wrong' }
}

import { routeOf } from '../../../src/endpoints/http/endpoint-path.ts'
import { guardsOf } from '../../../src/endpoints/http/guards.ts'
import { createEndpoints } from '../../../src/service/create-app.ts'
import { endpoints } from '../../../src/service/endpoints.ts'
import { type Answer, type TestAuth, testPassword } from '../test-auth.ts'

/** What a door asks of whoever knocks. */
export type Demand =
  /** Nothing. */
  | { of: 'anybody' }
  /** To be an operator, by token or by role. */
  | { of: 'operators' }
  /** To be somebody. */
  | {
      of: 'people'
      /** A token of a session; `live`: of one that could be renewed. */
      session?: 'any' | 'live'
      /** The second factor of whoever has one. Else the answer is `insufficient_aal`, with this status. */
      factor?: 401 | 403 | 422
    }

/** An endpoint, or a method that takes an access token. */
export interface Door {
  name: string
  demand: Demand
  /** The names of ids that it takes in its path or body, such as `user_id`. */
  ids: (keyof Ids)[]
  knock(token: string | null, ids: Ids, effect: Effect): Promise<Refusal>
}

/** Status and code of what came back; the code is undefined for a success. */
export type Refusal = [status: number, code: string | undefined]

/** Whose things a knock is about. */
export interface Ids {
  user_id: string
  factor_id: string
  passkey_id: string
  device_id: string
  challenge_id: string
  session_id: string
  identity_id: string
}

/**
 * `full`: a request that changes something, if it is let in. `harmless`: one that passes the same checks of
 * who asks, and then changes nothing that a later one needs.
 */
export type Effect = 'full' | 'harmless'

/** What a description does not say of who may call: which sessions count, and where the second factor is asked for. */
const finer: Record<string, Omit<Extract<Demand, { of: 'people' }>, 'of'>> = {
  // With a new password.
  'PUT /user': { factor: 401 },
  'DELETE /user': { factor: 403 },
  'GET /user/identities/authorize': { session: 'live', factor: 403 },
  'DELETE /user/identities/:identity_id': { factor: 403 },
  'POST /factors': { session: 'any', factor: 403 },
  'POST /factors/:factor_id/verify': { session: 'live' },
  'DELETE /factors/:factor_id': { session: 'any', factor: 422 },
  'POST /factors/recovery-codes': { session: 'any', factor: 403 },
  'POST /factors/recovery-codes/verify': { session: 'live' },
  'POST /factors/recovery-codes/regenerate': { session: 'any', factor: 403 },
  'DELETE /factors/recovery-codes': { session: 'any', factor: 422 },
  'POST /passkeys/registration/options': { session: 'any', factor: 403 },
  'POST /passkeys/registration/verify': { session: 'any', factor: 403 },
  'DELETE /passkeys/:passkey_id': { session: 'any', factor: 403 },
  'POST /trusted-devices': { factor: 403 },
  'POST /trusted-devices/verify': { session: 'live' },
}

const demands = new Map<string, Demand>(
  endpoints.map(({ method, path, guards }) => {
    const name = `${method} ${routeOf(path)}`
    const { caller } = guardsOf({ guards })
    const of = ({ anyone: 'anybody', user: 'people', operator: 'operators' } as const)[caller]
    return [name, of === 'people' ? { of, ...finer[name] } : { of }]
  }),
)

/** The endpoints that are not for operators alone. */
export const namedEndpoints = [...demands].flatMap(([name, { of }]) =>
  of === 'operators' ? [] : [name],
)

/** An endpoint without a description is for operators: so is a new one, until somebody decides otherwise. */
export const demandOf = (name: string): Demand => demands.get(name) ?? { of: 'operators' }

/** Every endpoint of a service, from the list that it answers by. */
export async function endpointsOf(auth: TestAuth): Promise<Door[]> {
  const routes = createEndpoints(await auth.deps())['~routes']
  return routes.flatMap(({ method, route }) =>
    method && method !== 'HEAD' && route ? [endpoint(auth, method, route)] : [],
  )
}

function endpoint(auth: TestAuth, method: string, route: string): Door {
  const name = `${method} ${route}`
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, id]) => id as keyof Ids)
  return {
    name,
    demand: demandOf(name),
    ids: [
      ...inPath,
      ...(route === '/factors/:factor_id/verify' ? (['challenge_id'] as const) : []),
    ],
    knock: async (token, ids, effect) => {
      const answer = await auth.request(method, pathOf(route, ids), {
        ...(token !== null && { token }),
        ...(method !== 'GET' && { body: bodyOf(name, ids, effect) }),
      })
      return said(answer)
    },
  }
}

const said = ({ status, body }: Answer): Refusal => [status, body?.error_code]

/** Of sessions others end, so that whoever knocks can go on. */
const queries: Readonly<Record<string, string>> = {
  '/logout': '?scope=others',
  '/user/identities/authorize': '?provider=keycloak&skip_http_redirect=true',
}

export const pathOf = (route: string, ids: Partial<Ids>): string =>
  route.replaceAll(/:(\w+)/g, (_, id: keyof Ids) => ids[id] ?? '') + (queries[route] ?? '')

/** A body that would do something at every endpoint. */
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
  credential: { id: 'AA' },
  code: '123456',
})

function bodyOf(name: string, ids: Ids, effect: Effect): object {
  if (effect === 'full') return fullBody(ids)
  if (demandOf(name).of !== 'people') return {}
  // Asks for the second factor, and then finds that it is the password of before.
  if (name === 'PUT /user') return { password: testPassword }
  return { ...fullBody(ids), password: 'wrong' }
}

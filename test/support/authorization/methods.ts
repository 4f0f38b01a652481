import { type Endpoint, pathNames, routeOf } from '../../../src/endpoints/http/endpoint.ts'
import { guardsOf } from '../../../src/endpoints/http/guards.ts'
import { type FieldKinds, wireNameOf } from '../../../src/platform/http/inputs.ts'
import { type AuthApi, type AuthMethods, authMethods } from '../../../src/service/api/auth-api.ts'
import type { FlatMethods } from '../../../src/service/api/lazily.ts'
import { endpoints } from '../../../src/service/endpoints.ts'
import { type TestAuth, testPassword } from '../test-auth.ts'
import {
  type Demand,
  demandOf,
  type Effect,
  type EntryPoint,
  fullBody,
  type Ids,
  type StatusAndCode,
} from './entry-points.ts'

/** The inputs of methods for which the fields of a full body are too few or too many. */
const inputs: { readonly [Name in keyof FlatMethods<AuthApi>]?: (effect: Effect) => object } = {
  updateUser: (effect) => ({
    password: effect === 'full' ? 'a brand new password' : testPassword,
  }),
  deleteUser: (effect) => ({ password: effect === 'full' ? testPassword : 'wrong' }),
  linkIdentity: () => ({ provider: 'keycloak' }),
  verifyTrustedDevice: () => ({ secret: 'none' }),
  signOut: () => ({ scope: 'others' }),
  'oauth.getDevice': () => ({ userCode: 'BCDF-GHJK' }),
}

/** The methods in code without an endpoint that take an access token. */
const inCodeAlone: { readonly [Name in keyof AuthMethods]?: Omit<Method, 'name'> } = {
  getProviderToken: {
    demand: { of: 'people', factor: 403 },
    ids: [],
    inputOf: () => ({ provider: 'github' }),
  },
}

/** A method that takes an access token. */
interface Method {
  name: string
  demand: Demand
  /** The names of its ids. */
  ids: (keyof Ids)[]
  inputOf(ids: Ids, effect: Effect): object
}

/** The methods of endpoints for users, each with the requirements of its endpoint. */
const ofEndpoints: Method[] = endpoints.flatMap((endpoint) => {
  const name = endpoint.inCode?.split('auth.api.')[1]
  if (name === undefined || guardsOf(endpoint).caller !== 'user') return []
  const ids = [
    ...pathNames(endpoint.path).map(({ onWire }) => onWire as keyof Ids),
    ...(name === 'verifyFactor' ? (['challenge_id'] as const) : []),
  ]
  const demand = demandOf(`${endpoint.method} ${routeOf(endpoint.path)}`)
  const inputOf = (given: Ids, effect: Effect) => ({
    ...idsIn(endpoint, given),
    ...(inputs[name as keyof typeof inputs]?.(effect) ?? fieldsOf(endpoint, given)),
  })
  return [{ name, demand, ids, inputOf }]
})

const idsIn = ({ path }: Endpoint, ids: Ids): object =>
  Object.fromEntries(
    pathNames(path).map(({ onWire, inCode }) => [inCode, ids[onWire as keyof Ids]]),
  )

/** Returns the fields of a body with an effect at every endpoint, by their names in code. */
function fieldsOf({ body }: Endpoint, ids: Ids): object {
  const full: Record<string, unknown> = fullBody(ids)
  const kinds = Object.entries((body?.kinds ?? {}) as FieldKinds)
  return Object.fromEntries(
    kinds.flatMap(([name, kind]) => {
      const value = full[wireNameOf(name, kind)]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Returns `requireUser`, and every method of `auth.api` that takes an access token. */
export function methodsOf(auth: TestAuth): EntryPoint[] {
  const { api, requireUser } = auth.auth
  const requireUserEntry: EntryPoint = {
    name: 'auth.requireUser',
    demand: { of: 'people' },
    ids: [],
    send: async (token) => {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` }
      const [status, code] = await outcome(requireUser({ headers }))
      // For an invalid token, hosts receive 401 where the wire has 403.
      return status === 401 && code !== 'no_authorization' ? [403, code] : [status, code]
    },
  }
  const methods = [
    ...ofEndpoints,
    ...Object.entries(inCodeAlone).map(([name, method]) => ({ name, ...method })),
  ]
  const call = { ...flat(api), ...flat(api.oauth, 'oauth.') }
  const entryPoints = methods.map(({ name, demand, ids, inputOf }): EntryPoint => {
    // Without a token the method is called as JavaScript permits it.
    const send: EntryPoint['send'] = async (accessToken, given, effect) =>
      outcome(call[name]?.({ accessToken, ...inputOf(given, effect) }) ?? Promise.reject(name))
    return { name: `auth.api.${name}`, demand, ids, send }
  })
  return [requireUserEntry, ...entryPoints]
}

const flat = (group: object, prefix = '') =>
  Object.fromEntries(
    Object.entries(group).map(([name, method]) => [
      `${prefix}${name}`,
      method as (input: object) => Promise<unknown>,
    ]),
  )

/** The methods that neither an endpoint nor the list above describes. */
export const undescribedMethods = Object.keys(authMethods).filter(
  (name) =>
    !endpoints.some(({ inCode }) => inCode === `auth.api.${name}`) &&
    !Object.hasOwn(inCodeAlone, name),
)

const outcome = (calling: Promise<unknown>): Promise<StatusAndCode> =>
  calling.then(
    () => [200, undefined],
    ({ status, code }) => [status, code],
  )

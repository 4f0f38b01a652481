import {
  type Arrived,
  arrivedAt,
  type FakeRealm,
  openBrowser,
  type RealmPerson,
} from './fake-realm.ts'
import type { Answer, TestAuth } from './test-auth.ts'

/** An identity, as the wire presents it. */
export interface WireIdentity {
  identity_id: string
  id: string
  provider: string
  email?: string
}

/** What somebody does with their identities. */
export interface Linking {
  /** Asks to link an account at the realm; the state of the departure. */
  depart(token: string, query?: Record<string, string>): Promise<string>
  /** Comes back as this person. */
  comeBack(state: string, person: RealmPerson): Promise<Arrived>
  /** Both. */
  link(token: string, person: RealmPerson, query?: Record<string, string>): Promise<Arrived>
  unlink(token: string, identityId: string, headers?: Record<string, string>): Promise<Answer>
  identitiesOf(token: string): Promise<WireIdentity[]>
}

export function linking(
  auth: Pick<TestAuth, 'request' | 'get'>,
  realm: Pick<FakeRealm, 'codeFor'>,
): Linking {
  const depart: Linking['depart'] = async (token, query = {}) => {
    const wanted = { provider: 'keycloak', skip_http_redirect: 'true', ...query }
    const path = `/user/identities/authorize?${new URLSearchParams(wanted)}`
    const { body } = await auth.get(path, { token })
    if (!body?.url) throw new Error(`did not depart: ${body?.error_code}`)
    return new URL(body.url).searchParams.get('state') ?? ''
  }
  const comeBack: Linking['comeBack'] = async (state, person) =>
    arrivedAt(
      await openBrowser(auth).get(
        `/callback?${new URLSearchParams({ state, code: realm.codeFor(person) })}`,
      ),
    )
  return {
    depart,
    comeBack,
    link: async (token, person, query) => comeBack(await depart(token, query), person),
    unlink: (token, identityId, headers = {}) =>
      auth.request('DELETE', `/user/identities/${identityId}`, { token, headers }),
    identitiesOf: async (token) => (await auth.get('/user', { token })).body.identities ?? [],
  }
}

let people = 0

/** Somebody with an account at the realm. */
export const newPerson = (): RealmPerson & { email: string } => {
  const number = ++people
  return {
    sub: `kc-${number}`,
    name: 'Ann',
    email: `work-${number}@realm.test`,
    email_verified: true,
  }
}

import { pressed } from './confirmation-page.ts'
import {
  type CallbackResult,
  callbackPathFor,
  type FakeRealm,
  noteCallbackPath,
  openBrowser,
  type RealmPerson,
  redirectOf,
  type TestBrowser,
} from './fake-realm.ts'
import type { Answer, TestAuth } from './test-auth.ts'

/** An identity on the wire. */
export interface WireIdentity {
  identity_id: string
  id: string
  provider: string
  email?: string
}

/** Requests of a user about identities. */
export interface Linking {
  /** Starts linking an identity of the realm. Returns the state of the flow. */
  startLinking(token: string, query?: Record<string, string>): Promise<string>
  /** Sends the callback as this user, in a browser that did not start the flow. */
  callback(state: string, person: RealmPerson, browser?: TestBrowser): Promise<Answer>
  /** Sends the callback, and submits the confirmation page. */
  sendCallback(state: string, person: RealmPerson): Promise<CallbackResult>
  /** Does both. */
  link(token: string, person: RealmPerson, query?: Record<string, string>): Promise<CallbackResult>
  unlink(token: string, identityId: string, headers?: Record<string, string>): Promise<Answer>
  identitiesOf(token: string): Promise<WireIdentity[]>
}

export function linking(
  auth: Pick<TestAuth, 'request' | 'get'>,
  realm: Pick<FakeRealm, 'codeFor'>,
): Linking {
  const startLinking: Linking['startLinking'] = async (token, query = {}) => {
    const wanted = { provider: 'keycloak', skip_http_redirect: 'true', ...query }
    const path = `/user/identities/authorize?${new URLSearchParams(wanted)}`
    const { body } = await auth.get(path, { token })
    if (!body?.url) throw new Error(`linking was not started: ${body?.error_code}`)
    return noteCallbackPath(body.url)
  }
  const callback: Linking['callback'] = (state, person, browser = openBrowser(auth)) => {
    const query = new URLSearchParams({ state, code: realm.codeFor(person) })
    return browser.get(`${callbackPathFor(state)}?${query}`)
  }
  const sendCallback: Linking['sendCallback'] = async (state, person) => {
    const browser = openBrowser(auth)
    const answer = await callback(state, person, browser)
    return redirectOf(await pressed(browser, callbackPathFor(state), answer))
  }
  return {
    startLinking,
    callback,
    sendCallback,
    link: async (token, person, query) => sendCallback(await startLinking(token, query), person),
    unlink: (token, identityId, headers = {}) =>
      auth.request('DELETE', `/user/identities/${identityId}`, { token, headers }),
    identitiesOf: async (token) => (await auth.get('/user', { token })).body.identities ?? [],
  }
}

let people = 0

/** Creates a user of the realm. */
export const newPerson = (): RealmPerson & { email: string } => {
  const number = ++people
  return {
    sub: `kc-${number}`,
    name: 'Ann',
    email: `work-${number}@realm.test`,
    email_verified: true,
  }
}

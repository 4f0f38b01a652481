import { parse } from 'cookie-es'
import { isRecord } from '../../platform/kit/is-record.ts'
import {
  type CookieNaming,
  cookieModeHeader,
  stateCookieName,
} from '../cookie-sessions/cookie-names.ts'
import type { PageSession } from '../cookie-sessions/request-session.ts'

/** The members of a browser that a server lacks. */
export interface BrowserPage {
  document: { cookie: string }
  location: { origin: string; protocol: string }
}

/**
 * Sends a request whose response's session is stored in cookies, and whose session is added from
 * them.
 */
export const askInCookieMode: typeof fetch = (target, init) => {
  const headers = new Headers(init?.headers)
  headers.set(cookieModeHeader, '1')
  return fetch(target, { ...init, headers, credentials: 'same-origin' })
}

export interface HeldSession {
  /** Returns the present session, also if another page or the server has changed it. */
  current(): Promise<PageSession | null>
  /** Returns the session of this page, if it is that of the cookies. */
  inCookies(): PageSession | null
  hold(session: PageSession | null): void
  /**
   * Whether the last call of {@link current} found the session of another user than the page was
   * informed of. It still shows the data of the former one.
   */
  isSwitched(): boolean
  /** Stores the session of a response, if it contains one: its cookies have just changed. */
  learn(answer: Response): Promise<void>
}

interface HeldInput {
  page: BrowserPage | null
  naming: CookieNaming
  url: string
  session: PageSession | null | undefined
}

/**
 * Creates the store of a page's session in memory, with the state of the cookies that it belongs
 * to.
 */
export function createHeldSession({ page, naming, url, session }: HeldInput): HeldSession {
  const readState = (): string | null =>
    page ? (parse(page.document.cookie)[stateCookieName(naming)] ?? null) : null
  const hold = (next: PageSession | null) => ({ session: next, state: readState() })
  // A page rendered without a session may come from a cache, while the browser has the cookies of
  // one.
  const isKnown = session !== undefined && (session !== null || readState() === null)
  // Without a page no request is sent: the session is the given one.
  let held = isKnown || !page ? hold(session ?? null) : null
  let loading: Promise<void> | null = null
  let informedOf: unknown = held?.session?.user.id ?? null
  let isSwitched = false
  const clients =
    page &&
    openChannel(naming.name, (other) => {
      informedOf = other.user.id
    })
  const load = async (): Promise<void> => {
    const answer = await askInCookieMode(`${url}/session`)
    if (!answer.ok) throw new Error(`The session could not be loaded: status ${answer.status}`)
    const loaded = (await answer.json()) as PageSession | null
    held = hold(loaded)
    if (!loaded) return
    isSwitched = informedOf !== null && informedOf !== loaded.user.id
    if (isSwitched) clients?.postMessage({ event: 'SIGNED_IN', session: loaded })
    informedOf = loaded.user.id
  }
  return {
    current: async () => {
      const state = readState()
      isSwitched = false
      if (held?.state === state) return held.session
      if (state === null) held = hold(null)
      else {
        loading ??= load().finally(() => {
          loading = null
        })
        await loading
      }
      return held?.session ?? null
    },
    inCookies: () => {
      const state = readState()
      return held && state !== null && held.state === state ? held.session : null
    },
    hold: (next) => {
      held = hold(next)
      informedOf = next?.user.id ?? null
    },
    isSwitched: () => isSwitched,
    learn: async (answer) => {
      const body: unknown = await answer.json().catch(() => null)
      if (!isSession(body)) return
      held = hold(body)
      informedOf = body.user.id
    },
  }
}

/**
 * Opens the channel by which the clients of all pages of an origin inform each other of events. A
 * client of this page receives the messages of this object, too.
 *
 * @param learn receives the session of each message that contains one.
 */
function openChannel(name: string, learn: (session: PageSession) => void): Channel | null {
  if (!('BroadcastChannel' in globalThis)) return null
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: { data: unknown }) => {
    if (isRecord(data) && isSession(data['session'])) learn(data['session'])
  }
  return channel
}

type Channel = Pick<InstanceType<typeof BroadcastChannel>, 'postMessage'>

const isSession = (body: unknown): body is PageSession =>
  isRecord(body) && typeof body['access_token'] === 'string' && isRecord(body['user'])

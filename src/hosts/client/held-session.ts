import { parse } from 'cookie-es'
import { isRecord } from '../../platform/kit/is-record.ts'
import {
  type CookieNaming,
  cookieModeHeader,
  stateCookieName,
} from '../cookie-sessions/cookie-names.ts'
import type { PageSession } from '../cookie-sessions/request-session.ts'

/** What a browser has and a server has not. */
export interface BrowserPage {
  document: { cookie: string }
  location: { origin: string; protocol: string }
}

/** Lets the answer's session go into cookies, and has it filled in where one is needed. */
export const askInCookieMode: typeof fetch = (target, init) => {
  const headers = new Headers(init?.headers)
  headers.set(cookieModeHeader, '1')
  return fetch(target, { ...init, headers, credentials: 'same-origin' })
}

export interface HeldSession {
  /** The session as of now: of this page, or newer, where another page or the server has changed it. */
  current(): Promise<PageSession | null>
  /** The session of this page, where it is that of the cookies. */
  inCookies(): PageSession | null
  hold(session: PageSession | null): void
  /** Takes the session of an answer, if it is one: its cookies have just changed with it. */
  learn(answer: Response): Promise<void>
}

interface HeldInput {
  page: BrowserPage | null
  naming: CookieNaming
  url: string
  session: PageSession | null | undefined
}

/** The session in the memory of a page, and the state of the cookies that it belongs to. */
export function createHeldSession({ page, naming, url, session }: HeldInput): HeldSession {
  const readState = (): string | null =>
    page ? (parse(page.document.cookie)[stateCookieName(naming)] ?? null) : null
  const hold = (next: PageSession | null) => ({ session: next, state: readState() })
  // A page that was rendered for nobody may have come out of a cache, where the browser has the cookies of a session.
  const isTold = session !== undefined && (session !== null || readState() === null)
  // Without a page there is nothing to ask: the session is what was given.
  let held = isTold || !page ? hold(session ?? null) : null
  let asking: Promise<void> | null = null
  const ask = async (): Promise<void> => {
    const answer = await askInCookieMode(`${url}/session`)
    if (!answer.ok) throw new Error(`The session cannot be had: status ${answer.status}`)
    held = hold((await answer.json()) as PageSession | null)
  }
  return {
    current: async () => {
      const state = readState()
      if (held?.state === state) return held.session
      if (state === null) held = hold(null)
      else {
        asking ??= ask().finally(() => {
          asking = null
        })
        await asking
      }
      return held?.session ?? null
    },
    inCookies: () => {
      const state = readState()
      return held && state !== null && held.state === state ? held.session : null
    },
    hold: (next) => {
      held = hold(next)
    },
    learn: async (answer) => {
      const body: unknown = await answer.json().catch(() => null)
      if (isSession(body)) held = hold(body)
    },
  }
}

const isSession = (body: unknown): body is PageSession =>
  isRecord(body) && typeof body['access_token'] === 'string' && isRecord(body['user'])

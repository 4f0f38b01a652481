import { parse, serialize, stringifyCookie } from 'cookie-es'
import { cookiePairs } from '../../platform/http/cookie-pairs.ts'
import { type RequestLike, readHeader } from '../../platform/http/request-like.ts'
import { isVerifierKey, itemLifetimeSeconds } from './cookie-names.ts'
import type { CookieTerms } from './cookie-terms.ts'
import {
  attributesOf,
  type CookieAttributes,
  type CookieChange,
  readSessionCookie,
  removalOf,
  removeSessionCookie,
  type SentCookies,
  type StoredSession,
  writeSessionCookie,
} from './session-cookie.ts'

/** A host's own way of setting cookies, such as SvelteKit's `event.cookies`. */
export interface CookieJar {
  set(name: string, value: string, attributes: CookieAttributes): void
}

/** The sessions that have ended while requests with their cookies were processed. */
export interface SessionEnds {
  /** Reports whether a session has ended within the last minute, in this process. */
  hasEnded(sessionId: string): boolean
  /**
   * Removes the cookies of a session from a jar in which they were set, if it ends before the
   * response is sent. The jar is referenced weakly, and only its last session is stored.
   */
  removeAtEnd(sessionId: string, jar: CookieJar, removals: readonly CookieChange[]): void
}

/** The cookies of one request, and the changes of its response. */
export interface RequestCookies {
  readonly session: StoredSession | null
  storeSession(session: StoredSession): void
  removeSession(): void
  /** Reads data that a client stores during a sign-in, not the session. */
  readItem(key: string): string | null
  storeItem(key: string, value: string): void
  /**
   * Removes an item, and others with the same value: a client stores a code verifier under two
   * keys.
   */
  removeItem(key: string): void
  /** Returns a `Set-Cookie` header for each change. */
  setCookieHeaders(): string[]
  /** Returns the `Cookie` header that a browser would send after this response. */
  cookieHeader(): string
}

/**
 * Reads the cookies of a request, and decides which ones its response sets: for every host, and for
 * the mounted service. A session that has ended sets none, even if it was renewed before: the
 * response to its sign-out has removed the cookies of its browser.
 */
export function openCookies(
  { terms, renewals }: { terms: CookieTerms; renewals: SessionEnds },
  request: RequestLike,
  jar?: CookieJar | undefined,
): RequestCookies {
  const header = readHeader(request, 'cookie') ?? ''
  const sent = readOwnCookies(terms, header)
  const changes = new Map<string, CookieChange>()
  let session = readSessionCookie(terms, sent)
  let stored: { sessionId: string; names: ReadonlySet<string> } | null = null
  const change = (all: CookieChange[]): void => {
    for (const one of all) changes.set(one.name, one)
    if (jar) setAll(jar, all)
  }
  const current = (name: string): string | readonly string[] | undefined => {
    const changed = changes.get(name)
    return changed ? changed.value || undefined : sent[name]
  }
  const known = (): SentCookies =>
    Object.fromEntries(
      [...Object.keys(sent), ...changes.keys()].map((name) => [name, current(name)]),
    )
  const hasEnded = (name: string): boolean =>
    stored?.names.has(name) === true && renewals.hasEnded(stored.sessionId)
  const itemName = (key: string): string => `${terms.prefix}${key}`
  const toRemoval = ({ name }: CookieChange): CookieChange => removalOf(terms, name)

  return {
    get session() {
      return session
    },
    storeSession: (next) => {
      const cookies = writeSessionCookie(terms, next, known())
      const { sessionId } = next
      change(cookies)
      session = next
      stored = { sessionId, names: new Set(cookies.map(({ name }) => name)) }
      if (jar) renewals.removeAtEnd(sessionId, jar, cookies.map(toRemoval))
    },
    removeSession: () => {
      stored = null
      change(removeSessionCookie(terms, known()))
      session = null
    },
    readItem: (key) => {
      const value = current(itemName(key))
      return typeof value === 'string' ? value : null
    },
    storeItem: (key, value) => {
      // Scripts of the page may complete a flow that the server began, and vice versa.
      const lifetimeSeconds = itemLifetimeSeconds
      const attributes = attributesOf({ ...terms, lifetimeSeconds }, { httpOnly: false })
      change([{ name: itemName(key), value, attributes }])
    },
    removeItem: (key) => {
      const value = current(itemName(key))
      if (value === undefined) return
      const same = Object.entries(known()).filter(
        ([name, other]) => isVerifierKey(name) && other === value,
      )
      change([itemName(key), ...same.map(([name]) => name)].map((name) => removalOf(terms, name)))
    },
    setCookieHeaders: () =>
      [...changes.values()]
        .filter(({ name }) => !hasEnded(name))
        .map(({ name, value, attributes }) => serialize(name, value, attributes)),
    cookieHeader: () => {
      const kept = cookiePairs(header).filter(({ name }) => !changes.has(name))
      const set = [...changes.values()].filter(({ name, value }) => value !== '' && !hasEnded(name))
      const own = stringifyCookie(Object.fromEntries(set.map(({ name, value }) => [name, value])))
      return [...kept.map(({ text }) => text), ...(own ? [own] : [])].join('; ')
    },
  }
}

/**
 * Reads the cookies of a session and of flows. Others are not decoded: a header may contain
 * thousands of them, and a value that cannot be decoded costs as much as many that can.
 */
function readOwnCookies(terms: CookieTerms, header: string): SentCookies {
  const own = `${terms.prefix}${terms.name}-`
  const filter = (name: string): boolean =>
    name.startsWith(own) || (name.startsWith(terms.prefix) && isVerifierKey(name))
  return parse(header, { allowMultiple: true, filter })
}

export function setAll(jar: CookieJar, changes: readonly CookieChange[]): void {
  for (const { name, value, attributes } of changes) jar.set(name, value, attributes)
}

import { parse, serialize, stringifyCookie } from 'cookie-es'
import { cookiePairs } from '../http/cookie-pairs.ts'
import { type RequestLike, readHeader } from '../http/request-like.ts'
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

/** The cookies of one request, and what its answer is to change about them. */
export interface RequestCookies {
  readonly session: StoredSession | null
  storeSession(session: StoredSession): void
  removeSession(): void
  /** What a client keeps between the beginning of a sign-in and its end: not the session. */
  readItem(key: string): string | null
  storeItem(key: string, value: string): void
  /** Removes an item, and others that hold the same: a client keeps a code verifier under two keys. */
  removeItem(key: string): void
  /** A `Set-Cookie` header for each change. */
  setCookieHeaders(): string[]
  /** The `Cookie` header that a browser would send after this answer. */
  cookieHeader(): string
}

export function openCookies(
  terms: CookieTerms,
  request: RequestLike,
  jar?: CookieJar | undefined,
): RequestCookies {
  const header = readHeader(request, 'cookie') ?? ''
  const sent: SentCookies = parse(header, { allowMultiple: true })
  const changes = new Map<string, CookieChange>()
  let session = readSessionCookie(terms, sent)
  const change = (all: CookieChange[]): void => {
    for (const one of all) {
      changes.set(one.name, one)
      jar?.set(one.name, one.value, one.attributes)
    }
  }
  const current = (name: string): string | readonly string[] | undefined => {
    const changed = changes.get(name)
    return changed ? changed.value || undefined : sent[name]
  }
  const known = (): SentCookies =>
    Object.fromEntries(
      [...Object.keys(sent), ...changes.keys()].map((name) => [name, current(name)]),
    )
  const itemName = (key: string): string => `${terms.prefix}${key}`

  return {
    get session() {
      return session
    },
    storeSession: (next) => {
      change(writeSessionCookie(terms, next, known()))
      session = next
    },
    removeSession: () => {
      change(removeSessionCookie(terms, known()))
      session = null
    },
    readItem: (key) => {
      const value = current(itemName(key))
      return typeof value === 'string' ? value : null
    },
    storeItem: (key, value) => {
      // Scripts of the page may end what the server began, and the other way round.
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
      [...changes.values()].map(({ name, value, attributes }) =>
        serialize(name, value, attributes),
      ),
    cookieHeader: () => {
      const kept = cookiePairs(header).filter(({ name }) => !changes.has(name))
      const set = [...changes.values()].filter(({ value }) => value !== '')
      const own = stringifyCookie(Object.fromEntries(set.map(({ name, value }) => [name, value])))
      return [...kept.map(({ text }) => text), ...(own ? [own] : [])].join('; ')
    },
  }
}

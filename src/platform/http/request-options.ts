import type { WaitUntil } from '../config/sections/background.ts'

/** What a host may know of a request beside it. */
export interface RequestOptions {
  ip?: string | undefined
  waitUntil?: WaitUntil | undefined
}

/** The request with what the host knows of it, where srvx has it and h3 looks for it. A host's may have getters there. */
export function withOptions(request: Request, { ip, waitUntil }: RequestOptions): Request {
  for (const [name, value] of Object.entries({ ip, waitUntil })) {
    if (value === undefined) continue
    Object.defineProperty(request, name, { value, configurable: true, writable: true })
  }
  return request
}

/** A registered symbol, since a bundler may give cookie sessions a copy of this module. */
const cookieSession: unique symbol = Symbol.for('latchkey.cookie-session') as never

type WithCookieSession = Request & { [cookieSession]?: string }

/** The request with the id of its cookie session, whose token was verified. No header can set it. */
export function withCookieSession(request: Request, sessionId: string): Request {
  Object.defineProperty(request, cookieSession, { value: sessionId, configurable: true })
  return request
}

/** The id of the cookie session that {@link withCookieSession} found; null without one. */
export const cookieSessionOf = (request: object): string | null =>
  (request as WithCookieSession)[cookieSession] ?? null

/** Keeps the process running for what goes on after the answer; null where the host offers nothing of the kind. */
export function waitUntilOf(request: Request & RequestOptions): WaitUntil | null {
  return typeof request.waitUntil === 'function' ? (work) => request.waitUntil?.(work) : null
}

/** What a host left at a request. Requests that are made of this one would lose it. */
export function optionsOf(request: Request & RequestOptions): RequestOptions {
  const { ip } = request
  return { ip, waitUntil: waitUntilOf(request) ?? undefined }
}

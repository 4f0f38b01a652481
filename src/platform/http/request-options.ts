import type { WaitUntil } from '../config/sections/server.ts'
import type { ServiceRequest } from './service-request.ts'

/** A host's data of a request that are not part of it. */
export interface RequestOptions {
  ip?: string | undefined
  waitUntil?: WaitUntil | undefined
}

/** @throws TypeError for an address of a client that is neither a text nor absent. */
export function requireIpText(ip: unknown): void {
  if (ip === undefined || ip === null || typeof ip === 'string') return
  throw new TypeError('ip must be a text')
}

/**
 * Returns the request with the host's data, as members with the names that srvx and h3 use. A
 * host's request may have getters of these names.
 */
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

/**
 * Returns the request with the id of its cookie session, whose token was verified. No header can
 * set it.
 */
export function withCookieSession(request: Request, sessionId: string): Request {
  Object.defineProperty(request, cookieSession, { value: sessionId, configurable: true })
  return request
}

/** Returns the id that {@link withCookieSession} stored; null without one. */
export const cookieSessionOf = (request: object): string | null =>
  (request as WithCookieSession)[cookieSession] ?? null

/** A registered symbol, as `cookieSession`. */
const cookieClient = Symbol.for('latchkey.cookie-client')

/** Returns the request, marked as one whose response cookie sessions convert. */
export const markCookieClient = (request: Request): Request =>
  Object.defineProperty(request, cookieClient, { value: true, configurable: true })

/** Reports whether {@link markCookieClient} marked the request. */
export const isFromCookieSessions = (request: object): boolean => cookieClient in request

/**
 * Returns the function that extends the process's lifetime after the response; null if the host has
 * none.
 */
export function waitUntilOf(request: ServiceRequest & RequestOptions): WaitUntil | null {
  return typeof request.waitUntil === 'function' ? (work) => request.waitUntil?.(work) : null
}

/** Returns a host's data of a request. A new request made from this one would lose them. */
export function optionsOf(request: Request & RequestOptions): RequestOptions {
  const { ip } = request
  return { ip, waitUntil: waitUntilOf(request) ?? undefined }
}

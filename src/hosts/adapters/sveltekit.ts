import { peerOfRequest } from '../../platform/http/peer.ts'
import type { Auth } from '../../service/api/auth.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import type { SignedInViewer } from '../cookie-sessions/signed-in-viewer.ts'
import { answerWithSession } from './answer-with-session.ts'
import { type Lazy, unwrap } from './lazy.ts'
import { requirePageUser } from './require-page-user.ts'

// For builds that compile `latchkey/svelte`: the main entry cannot be bundled with it.
export { AuthError } from '../../platform/errors/auth-error.ts'

/** The part of SvelteKit's event that is used. */
export interface SvelteKitEvent {
  readonly request: Request
  readonly locals: object
  getClientAddress(): string
  /** Contains the request of Node, where `@sveltejs/adapter-node` serves it. */
  readonly platform?: unknown
}

/** A `+server.ts` handler, for `fallback`. */
export type SvelteKitHandler = (event: SvelteKitEvent) => Promise<Response>

/** A `handle` of `hooks.server.ts`. */
export type SvelteKitHandle = <Event extends SvelteKitEvent>(input: {
  event: Event
  resolve(event: Event): Response | Promise<Response>
}) => Promise<Response>

/**
 * Mounts Latchkey in SvelteKit 3 or 2: the handler of `src/routes/auth/[...path]/+server.ts`, if
 * `basePath` is `/auth`.
 *
 * The address of a client is that of SvelteKit: of the connection, or of the header that
 * `ADDRESS_HEADER` names.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example export const fallback = toSvelteKit(sessions)
 */
export function toSvelteKit(auth: Lazy<Pick<Auth, 'fetch'>>): SvelteKitHandler {
  return (event) => unwrap(auth).fetch(event.request, { ip: peerOf(event) })
}

/** Returns the address of the client. SvelteKit has none for one that has disconnected. */
function peerOf({ getClientAddress, platform }: SvelteKitEvent): string | undefined {
  const address = getClientAddress() as string | undefined
  return address ?? peerOfRequest(Object(Object(platform).req))
}

/**
 * Opens the session of each request as `event.locals.session`, renews an expired one, and sends
 * changed cookies. It is absent in requests to the mounted service.
 *
 * @example
 * // src/hooks.server.ts; in src/app.d.ts, which imports the type: interface Locals { session: RequestSession }
 * export const handle = handleSession(sessions)
 */
export function handleSession(sessions: Lazy<CookieSessions>): SvelteKitHandle {
  return ({ event, resolve }) => {
    const { request, locals } = event
    const answer = async (session: RequestSession | null): Promise<Response> => {
      if (session) Object.assign(locals, { session })
      return resolve(event)
    }
    return answerWithSession(unwrap(sessions), request, answer, peerOf(event))
  }
}

/** The function `redirect` of `@sveltejs/kit`, which throws. */
export type SvelteKitRedirect = (status: 303, location: string) => never

/**
 * Returns the user of a page's `load`. A visitor without a session is redirected to the sign-in
 * page of the service, and back afterwards. Users with a verified second factor who have not proved
 * it in this session are redirected to its page; `aal: 1` accepts them. It queries the database
 * once, as `session.requireUser` does. {@link handleSession} must have opened the session.
 *
 * @example
 * export const load = async ({ locals, url }) => {
 *   const { userId } = await requireUser(sessions, { locals, url }, redirect)
 *   return { userId }
 * }
 */
export async function requireUser(
  sessions: Lazy<CookieSessions>,
  { locals, url }: { locals: { session?: RequestSession | undefined }; url: URL },
  redirect: SvelteKitRedirect,
  required: RequiredAssurance = {},
): Promise<SignedInViewer> {
  const found = await requirePageUser(sessions, locals.session, { required, returnTo: url.href })
  return typeof found === 'string' ? redirect(303, found) : found
}

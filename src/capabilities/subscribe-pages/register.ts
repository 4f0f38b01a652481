import type { H3, H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { verifyBearer } from '../../accounts/callers/identify-bearer.ts'
import { limitClient } from '../../endpoints/http/limit-client.ts'
import { openContext } from '../../endpoints/http/open-context.ts'
import type { LimitName } from '../../limits/request-limit.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { maxPlainBodyBytes } from '../../platform/http/body-limit.ts'
import { parseJson, plainJson } from '../../platform/http/plain-json.ts'
import { requireDeclaredLength, withBody } from '../../platform/http/read-text.ts'
import type { CapabilityServices } from '../capability-host.ts'
import { invalidData, invalidJson, noSession } from './pages-error.ts'
import { type Credential, readCredential } from './read-pages-credential.ts'

/** A request that has passed the guards of its path. */
export interface PagesRequest {
  event: H3Event
  ctx: AuthContext
  /**
   * Returns the parsed body. A parser error is thrown here, after authorization, so that a caller
   * without access receives 403.
   */
  body(): Record<string, unknown>
}

/** The guards of a path, in the order in which they run. */
interface PagesGuards {
  /** Rejects a client without a credential that may be valid, before anything is read. */
  requiresCredential?: true
  /** Default: `subscribe_pages`. */
  limit?: LimitName
  /** The maximum size of the body. Without it, no body is read. */
  maxBodyBytes?: number
}

/** Registers the function that serves requests to a path. */
export type Register = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  serve: (request: PagesRequest) => unknown,
  guards?: PagesGuards,
) => void

/** Registers each endpoint below several paths. */
export const registerBelow =
  (app: H3, basePaths: readonly string[], { deps }: CapabilityServices): Register =>
  (method, path, serve, guards = {}) => {
    for (const base of basePaths) {
      app.on(method, base + path, (event) =>
        guardRequest({ event, ctx: openContext(deps, event) }, serve, guards),
      )
    }
  }

async function guardRequest(
  { event, ctx }: Pick<PagesRequest, 'event' | 'ctx'>,
  serve: (request: PagesRequest) => unknown,
  { requiresCredential, limit = 'subscribe_pages', maxBodyBytes }: PagesGuards,
): Promise<unknown> {
  if (requiresCredential) await requireCredential(ctx, readCredential(event))
  await limitClient(ctx, limit)
  const serveInScope = async (body: PagesRequest['body']) =>
    ctx.clientScope.run(ctx.request, () => serve({ event, ctx, body }))
  if (maxBodyBytes === undefined) {
    requireDeclaredLength(event, maxPlainBodyBytes)
    return serveInScope(() => ({}))
  }
  const receiver = { bodies: ctx.bodies, client: ctx.request.clientKey() }
  return withBody(receiver, event, { maxBytes: maxBodyBytes, read: parse }, serveInScope)
}

/** Returns a function that returns the parsed body or throws the parser's error. */
function parse(text: string): () => Record<string, unknown> {
  try {
    const body = readBody(text)
    return () => body
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** @throws SubscribePagesError 403. A session key is queried after the body was read. */
async function requireCredential(ctx: AuthContext, credential: Credential | null): Promise<void> {
  if (!credential) throw noSession()
  if (!('token' in credential)) return
  await verifyBearer(ctx, credential.token).catch((error: unknown) => {
    throw error instanceof AuthError && error.status < 500 ? noSession() : error
  })
}

/** The default base paths. */
export const usualBasePaths: readonly string[] = ['/api/v2', '']

/** Returns whether a URL is below one of those paths, whether or not there is an endpoint. */
export const ownsPath = (url: string): boolean =>
  URL.canParse(url) &&
  /^\/(api\/v2|subscribe-pages|sessions|lists)(\/|$)/.test(new URL(url).pathname)

/**
 * Parses a body as a JSON object. An empty body is an empty object. Errors name the field, and
 * contain no other part of it.
 *
 * @throws SubscribePagesError 400.
 */
export function readBody(text: string): Record<string, unknown> {
  const value = refusing(() => parseJson(text.trim() === '' ? '{}' : text), invalidJson)
  return refusing(
    () => plainJson(value, 'all'),
    (error) => invalidData('the body must be an object that can be stored.', error),
  )
}

function refusing<T>(read: () => T, rejection: (error: AuthError) => Error): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'bad_json') throw rejection(error)
    // The name of any other member may be a secret.
    const namesField = /^(active|body|data|login_?name|password|title):/i.test(error.message)
    throw invalidData(namesField ? error.message : 'an unknown member cannot be stored.', error)
  }
}

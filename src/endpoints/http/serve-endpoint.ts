import type { H3Event } from 'h3'
import type { AuthContext, Deps } from '../../accounts/auth-context.ts'
import { requireAdmin } from '../../accounts/callers/authenticate-admin.ts'
import { requireCaller } from '../../accounts/callers/authenticate-caller.ts'
import { identifyBearer } from '../../accounts/callers/identify-bearer.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import { isAboutUser } from '../../credentials/access-tokens/token-subject.ts'
import { requestTimeout } from '../../platform/errors/request-errors.ts'
import { jsonIn } from '../../platform/http/plain-json.ts'
import { readOptionalBearer } from '../../platform/http/read-request.ts'
import { requireDeclaredLength, withBody } from '../../platform/http/read-text.ts'
import { pathOfClient } from '../../platform/kit/client-scope.ts'
import { isStorable } from '../../platform/kit/storable-text.ts'
import type { Call, UntypedCall } from './call.ts'
import { captchaFor, findCaptchaToken } from './check-captcha.ts'
import { type Endpoint, maxBytesOf, pathNames } from './endpoint.ts'
import { guardsOf } from './guards.ts'
import { type LimitOutcome, limitClient, limitClientBeforeBody } from './limit-client.ts'
import { openContext } from './open-context.ts'
import { type InputOf, readInput } from './read-input.ts'

/**
 * A request that has passed the guards of its endpoint. Only the JSON types of its input were
 * checked.
 */
export type GuardedRequest<E extends Endpoint, Input = InputOf<E>> = Call<E, Input> & {
  event: H3Event
}

/** Reads a body that need not be JSON. */
export type ReadBody<Input> = (text: string, event: H3Event) => Input

/**
 * Returns the function that serves the requests of an endpoint. The guards run in the order of
 * their list, which is that of their cost: setting, signature of the token, limit per client; then
 * declared length, body, parsing; then captcha. The first query is that of the caller, after all of
 * them.
 */
export function serveEndpoint(
  deps: Deps,
  endpoint: Endpoint,
  handle: (request: UntypedCall & { event: H3Event }) => unknown,
  readBody?: ReadBody<unknown>,
): (event: H3Event) => Promise<unknown> {
  const { path, body, isBodyOptional } = endpoint
  const guards = guardsOf(endpoint)
  const [first = {}] = endpoint.guards
  const isOfferedToAll = 'requires' in first
  const maxBytes = maxBytesOf(endpoint)
  const names = pathNames(path)

  return async (event) => {
    const ctx = openContext(deps, event)
    if (isOfferedToAll) guards.requires?.(ctx)
    const token = readOptionalBearer(event)
    const claims = await identifyBearer(ctx, guards, token)
    if (!isOfferedToAll) guards.requires?.(ctx)
    event.context.limited = await limitRequest(ctx)
    const captcha = guards.captcha ? await captchaFor(ctx, token) : null

    const inScope = <T>(work: () => T): T => deps.clientScope.run(ctx.request, work)
    const continueWith = async (given: unknown) =>
      inScope(async () => {
        const input = given as object
        await limitByInput(ctx, input)
        return inTurnOf(ctx, claims, async () => {
          const caller = await requireClaimed(ctx, claims)
          return handle({ ctx, event, ids: idsOf(event), input, ...caller })
        })
      })
    if (!body && !readBody && !captcha) {
      requireDeclaredLength(event, maxBytes)
      return continueWith(readInput(event, endpoint, {}))
    }
    const receiver = { bodies: deps.bodies, client: ctx.request.clientKey() }
    const reader = { maxBytes, read: (text: string) => parse(text, event, captcha !== null) }
    return withBody(receiver, event, reader, async ({ input, captchaToken }) => {
      const attempt = { token: captchaToken, ip: ctx.request.ip, path }
      if (captcha) await inScope(() => captcha(attempt))
      return continueWith(input)
    })
  }

  async function limitRequest(ctx: AuthContext): Promise<LimitOutcome> {
    const { limit, alternative } = guards
    if (!limit) return 'off'
    return alternative?.isOffered(ctx.config)
      ? limitClientBeforeBody(ctx, [limit, alternative.limit])
      : limitClient(ctx, limit)
  }

  /** Counts the request against the limit that its input determines. */
  async function limitByInput(ctx: AuthContext, input: object): Promise<void> {
    const { limit, alternative } = guards
    if (!limit || !alternative?.isOffered(ctx.config)) return
    await limitClient(ctx, alternative.appliesTo(input) ? alternative.limit : limit)
  }

  /**
   * Waits for earlier requests of the same user, before the first query. The networks of the user's
   * clients take turns: an account may have many, and a stolen token further ones.
   */
  function inTurnOf<T>(
    { request }: AuthContext,
    claims: AccessTokenClaims | null,
    serve: () => Promise<T>,
  ): Promise<T> {
    if (claims === null || !isAboutUser(claims)) return serve()
    return deps.callerSemaphore(String(claims.sub), pathOfClient(request), async () => {
      if (request.isOver()) throw requestTimeout()
      return serve()
    })
  }

  async function requireClaimed(
    ctx: AuthContext,
    claims: AccessTokenClaims | null,
  ): Promise<Pick<UntypedCall, 'admin' | 'caller' | 'claims'>> {
    if (claims === null) return {}
    if (guards.caller === 'operator') {
      const admin = await requireAdmin(ctx, claims)
      // The audit log names the user who operates.
      if (admin.caller) ctx.request.operator = { id: admin.caller.user.id, role: null }
      return { admin }
    }
    if (guards.isReadByUseCase) return { claims }
    return { caller: await requireCaller(ctx, claims, guards) }
  }

  function idsOf({ context: { params = {} } }: H3Event): Record<string, string> {
    const ids: Record<string, string> = {}
    for (const { onWire, inCode } of names) ids[inCode] = decoded(params[onWire] ?? '')
    return ids
  }

  function parse(
    text: string,
    event: H3Event,
    hasCaptcha: boolean,
  ): { input: unknown; captchaToken: string } {
    if (readBody) return { input: readBody(text, event), captchaToken: '' }
    const mayBeEmpty = isBodyOptional || !body
    const json = jsonIn(mayBeEmpty ? text || 'null' : text)
    const captchaToken = hasCaptcha ? findCaptchaToken(json) : ''
    return { input: readInput(event, endpoint, json), captchaToken }
  }
}

/**
 * Decodes an id. The router leaves characters encoded that a path cannot contain. One that is
 * malformed, or that PostgreSQL could not store, stays as it is.
 */
function decoded(id: string): string {
  if (!id.includes('%')) return id
  try {
    const text = decodeURIComponent(id)
    return isStorable(text) ? text : id
  } catch {
    return id
  }
}

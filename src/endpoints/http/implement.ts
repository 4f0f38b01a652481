import type { H3Event } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import { Answer, jsonType } from '../../platform/http/answer.ts'
import type { Fields } from '../../platform/http/inputs.ts'
import type { Call, CodeInput, CodeKinds, UntypedCall } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { type PresentError, withErrorPage } from './error-pages.ts'
import type { anyone } from './guards.ts'
import type { InputOf } from './read-input.ts'
import { type GuardedRequest, type ReadBody, serveEndpoint } from './serve-endpoint.ts'

/**
 * Pages that handlers return. A route declares the page that it needs, and the service provides it.
 */
export interface Pages {
  /** The page of an error, for a browser that opened an endpoint; null in a service without pages. */
  error: PresentError | null
}

/** The parts of a running service for creating handlers. */
export interface HandlerService {
  deps: Deps
  pages: Pages
}

/** Serves a request: the result or exception is the response. */
export type Serve = (event: H3Event) => unknown

/** An endpoint with the code that serves it, as {@link implement} returns it. */
export interface Implemented<E extends Endpoint = Endpoint, Result = unknown, Kinds = unknown> {
  endpoint: E
  /** Creates the handler. Called once for each app. */
  open(service: HandlerService): Serve
  /** Responds to HEAD in place of the handler of GET. */
  head?: Serve
  /** Creates the reader of the response, where all requests get the same one. */
  constant?(service: HandlerService): ReadConstant
  /** The method that {@link Endpoint.inCode} names. */
  method: MethodInCode<Result, Kinds> | null
}

export interface MethodInCode<Result, Kinds> {
  run(call: UntypedCall): Promise<Result>
  /** The fields of its input. Default: those of query and body. */
  fields?: Fields
  /** Never there: the kinds of its fields, for the compiler. */
  '~kinds'?: Kinds
}

interface SharedParts<E extends Endpoint, Result, Returned> {
  /** The use case. */
  run(call: Call<E>): Promise<Result>
  /** Returns the response to a request. */
  present(result: NoInfer<Result>, request: GuardedRequest<E>): unknown
  /** Returns the result of the method in code. Default: that of the use case. */
  returns?(result: NoInfer<Result>): Returned
}

interface SeparateParts<E extends Endpoint, Result, Input, Kinds> {
  /** Creates the handler of requests that have passed the guards. */
  handle(service: HandlerService): (request: GuardedRequest<E, Input>) => unknown
  /** The method in code. */
  run?(call: Call<E, CodeInput<Kinds>>): Promise<Result>
  /** The fields of the method in code, where they are not those of query and body. */
  fields?: Fields & { kinds: Kinds }
  /** Creates the reader of a body that need not be JSON. */
  readBody?(service: HandlerService): ReadBody<Input>
  /**
   * Creates the page that is returned in place of the response. It reads only the URL, so it
   * precedes the guards.
   */
  page?(service: HandlerService): (event: H3Event) => object | null
  head?: Serve
}

/**
 * Implements an endpoint by a use case, whose result the response presents and the method in code
 * returns.
 */
export const implement = <E extends Endpoint, Result, Returned = Result>(
  endpoint: E,
  { run, present, returns }: SharedParts<E, Result, Returned>,
): Implemented<E, Returned, CodeKinds<E>> => ({
  endpoint,
  open: ({ deps }) =>
    serveEndpoint(deps, endpoint, async (request) => {
      const guarded = request as unknown as GuardedRequest<E>
      return present(await run(guarded), guarded)
    }),
  method: {
    run: async (call) => {
      const result = await run(call as unknown as Call<E>)
      return (returns ? returns(result) : result) as Returned
    },
  },
})

type Run<Result> = (call: UntypedCall) => Promise<Result>

/**
 * Implements an endpoint whose handler and method in code differ by more than the form of the
 * result.
 */
export const implementSeparately = <
  E extends Endpoint,
  Result = never,
  Input = InputOf<E>,
  Kinds = CodeKinds<E>,
>(
  endpoint: E,
  { handle, run, fields, readBody, page, head }: SeparateParts<E, Result, Input, Kinds>,
): Implemented<E, Result, Kinds> => ({
  endpoint,
  open: (service) => {
    const serve = serveEndpoint(
      service.deps,
      endpoint,
      handle(service) as unknown as Parameters<typeof serveEndpoint>[2],
      readBody?.(service),
    )
    const pageOf = page?.(service)
    const serveOrPage: Serve = pageOf ? (event) => pageOf(event) ?? serve(event) : serve
    return endpoint.isOpenedByBrowsers ? withErrorPage(service, serveOrPage) : serveOrPage
  },
  ...(head && { head }),
  method: run ? { run: run as unknown as Run<Result>, ...(fields && { fields }) } : null,
})

/** Implements an endpoint that has nothing to guard: it accepts any client and reads no input. */
export const implementUnguarded = <
  E extends Endpoint & { guards: readonly [typeof anyone]; body?: never },
>(
  endpoint: E,
  open: (service: HandlerService) => Serve,
): Implemented<E, never, never> => ({ endpoint, open, method: null })

/** A response that is the same for all requests, until keys or settings change. */
export interface Constant {
  /** JSON. */
  text: string
  headers?: Record<string, string>
}

/** Returns the present response. The same object stands for the same response. */
export type ReadConstant = () => Constant

/**
 * Implements an endpoint whose response is the same for all requests. It is serialized once, and
 * sent without routing where the host permits that: see `answer-at-once.ts`.
 */
export const implementConstant = <
  E extends Endpoint & { method: 'GET'; guards: readonly [typeof anyone]; body?: never },
>(
  endpoint: E,
  constant: (service: HandlerService) => ReadConstant,
): Implemented<E, never, never> => ({
  ...implementUnguarded(endpoint, (service) => {
    const read = constant(service)
    return () => constantAnswer(read())
  }),
  constant,
})

const constantAnswer = ({ text, headers }: Constant): Answer =>
  new Answer(200, { ...headers, 'content-type': jsonType }, text)

type Some = readonly [Implemented, ...Implemented[]]

/** Endpoints of one method and path. */
export interface OnOnePath<Members extends Some = Some> {
  members: Members
  open(service: HandlerService): Serve
}

/**
 * Puts several endpoints on one method and path.
 *
 * @param choose returns the endpoint that serves a request.
 */
export const onOnePath = <const Members extends Some>(
  members: Members,
  choose: (event: H3Event) => Members[number],
): OnOnePath<Members> => ({
  members,
  open: (service) => {
    const opened = new Map<Implemented, Serve>(members.map((one) => [one, one.open(service)]))
    return (event) => opened.get(choose(event))?.(event)
  },
})

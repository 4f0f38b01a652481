import type { Deps } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import { verifyBearer } from '../../accounts/callers/identify-bearer.ts'
import { requireOwnToken } from '../../credentials/access-tokens/token-subject.ts'
import type { UntypedCall } from '../../endpoints/http/call.ts'
import { type Endpoint, type PathName, pathNames } from '../../endpoints/http/endpoint.ts'
import { guardsOf } from '../../endpoints/http/guards.ts'
import type { Implemented } from '../../endpoints/http/implement.ts'
import { checkInput } from '../../platform/http/check-input.ts'
import { type FieldKinds, type Fields, fields, Text } from '../../platform/http/inputs.ts'
import { implementations, type RegisteredEndpoint } from '../endpoints.ts'
import { type CallOptions, openCall, openCallForUser } from './call-options.ts'
import { openInput, rejectMisspelled, rejectUnknown } from './read-input.ts'

type ApiName = 'auth.api' | 'auth.admin'

/**
 * The methods of `Api` that endpoints implement. The type of a method that does not fit its
 * signature there states the reason.
 */
export type DerivedMethods<Api, Name extends ApiName> = {
  [One in RegisteredEndpoint as MethodName<One, Name>]: MethodName<One, Name> extends keyof Api
    ? Fitting<Api[MethodName<One, Name>], One>
    : 'no method of the API has this name'
}

type MethodName<One, Name extends ApiName> = One extends {
  endpoint: { inCode: `${Name}.${infer Method}` }
}
  ? Method
  : never

type Fitting<Method, One> = Method extends (...args: infer Args) => Promise<infer Expected>
  ? One extends Implemented<infer E, infer Result, infer Kinds>
    ? [Result] extends [Expected]
      ? [Exclude<InputName<Args>, keyof Kinds | NameBeside<E>>] extends [never]
        ? Method
        : ['the endpoint lacks a field of', Exclude<InputName<Args>, keyof Kinds | NameBeside<E>>]
      : ['the endpoint has another result', Result]
    : never
  : never

/** The names of an input that are not fields of query or body. */
type NameBeside<E extends Endpoint> =
  | PathName<E['path']>
  | (Extract<E['guards'][number], { caller: unknown }> extends { caller: 'user' }
      ? 'accessToken'
      : never)

/**
 * The names of the fields of a method's input: its first argument that is neither an id nor the
 * options.
 */
type InputName<Args extends readonly unknown[]> = Args extends readonly [string, ...infer Rest]
  ? InputName<Rest>
  : Required<Args> extends readonly [infer Input, CallOptions]
    ? keyof Input
    : never

/**
 * Returns the methods in code of the endpoints, by name. Each reads its input, opens a context,
 * identifies the caller and calls the use case.
 *
 * @param admin the operator of `auth.admin`.
 */
export const derivedMethods = <Api, Name extends ApiName>(
  deps: Deps,
  api: Name,
  admin?: Admin,
): DerivedMethods<Api, Name> =>
  Object.fromEntries(
    implementations.flatMap((one) => {
      const [, name] = one.endpoint.inCode?.split(`${api}.`) ?? []
      return name === undefined ? [] : [[name, methodOf(deps, one, admin)]]
    }),
  ) as DerivedMethods<Api, Name>

type Method = (...args: never[]) => Promise<unknown>

function methodOf(deps: Deps, { endpoint, method }: Implemented, admin?: Admin): Method {
  if (!method) throw new Error(`${endpoint.inCode} has no implementation`)
  const { run } = method
  const guards = guardsOf(endpoint)
  // Methods of auth.api are called for users, so they never have an operator as their caller.
  if ((guards.caller === 'operator') !== (admin !== undefined)) {
    throw new Error(`${endpoint.inCode} does not match the caller of its endpoint`)
  }
  const ids = pathNames(endpoint.path).map(({ inCode }) => inCode)
  const read = inputReader(endpoint, method.fields)
  const callOf = async (
    options: CallOptions | undefined,
    token: string | null,
    rest: Pick<UntypedCall, 'ids' | 'input'>,
  ): Promise<unknown> => {
    if (admin) return run({ ctx: openCall(deps, options), ...rest, admin })
    const ctx = openCallForUser(deps, options)
    if (guards.caller === 'anyone') return run({ ctx, ...rest })
    if (!guards.isReadByUseCase) {
      return run({ ctx, ...rest, caller: await authenticateCaller(ctx, token, guards) })
    }
    const claims = await verifyBearer(ctx, token)
    requireOwnToken(claims, guards)
    return run({ ctx, ...rest, claims })
  }

  if (admin) {
    return async (...args: unknown[]) => {
      const given = Object.fromEntries(ids.map((name) => [name, args.shift() as string]))
      const { input } = read ? read((args.shift() ?? {}) as object) : { input: {} }
      return callOf(args.shift() as CallOptions | undefined, null, { ids: given, input })
    }
  }
  if (!read) return async (options?: CallOptions) => callOf(options, null, { ids: {}, input: {} })
  return async (given: object = {}, options?: CallOptions) => {
    const { token, ...rest } = read(given)
    return callOf(options, token, rest)
  }
}

interface ReadCall extends Pick<UntypedCall, 'ids' | 'input'> {
  token: string | null
}

/** The fields of the input of a method. */
interface InputFields {
  /** The ids of the path that are members of the input. */
  ids: readonly string[]
  /** The ids, and the access token of a user. */
  texts: Fields<Readonly<Record<string, typeof Text>>>
  /** The fields of query and body, or the own fields of the method. */
  described: Fields
}

/**
 * Returns the fields of the input of a method by the description of its endpoint; null for a method
 * without an input. Ids that are arguments of their own are none of them.
 *
 * @param own the fields of the method, where they are not those of query and body.
 */
export function inputFieldsOf(
  { body, query, path, guards }: Endpoint,
  own: Fields | undefined,
): InputFields | null {
  const { caller } = guardsOf({ guards })
  const ids = caller === 'operator' ? [] : pathNames(path).map(({ inCode }) => inCode)
  if (caller !== 'user' && ids.length === 0 && !own && !body && !query) return null
  const texts = [...ids, ...(caller === 'user' ? ['accessToken'] : [])].map(textNamed)
  return {
    ids,
    texts: fields(Object.fromEntries(texts)),
    described: own ?? fields<FieldKinds>({ ...body?.kinds, ...query }),
  }
}

/** Returns the function that reads the input of a method; null for a method without an input. */
function inputReader(
  endpoint: Endpoint,
  own: Fields | undefined,
): ((given: object) => ReadCall) | null {
  const input = inputFieldsOf(endpoint, own)
  if (!input) return null
  const { ids, texts, described } = input
  const isList = 'cursor' in described.kinds
  return (given) => {
    const opened = openInput(given)
    const names = Object.keys({ ...texts.kinds, ...described.kinds })
    rejectMisspelled(opened, names)
    if (isList) rejectUnknown(opened, names)
    const { accessToken: token = null, ...found } = checkInput(opened, texts)
    const { redirectTo: target, ...input } = checkInput(opened, described)
    return {
      token,
      ids: Object.fromEntries(ids.map((name) => [name, found[name] ?? ''])),
      input:
        'redirectTo' in described.kinds ? { ...input, redirect: { target, isCall: true } } : input,
    }
  }
}

const textNamed = (name: string) => [name, Text] as const

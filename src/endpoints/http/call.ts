import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import type { AccessTokenClaims } from '../../credentials/access-tokens/claims.ts'
import type { Read } from '../../platform/http/inputs.ts'
import type { Endpoint, PathName, RedirectInput } from './endpoint.ts'
import type { InputOf } from './read-input.ts'

/** A call of an endpoint, over HTTP or in code: what its use case receives. */
export type Call<E extends Endpoint, Input = InputOf<E>> = {
  ctx: AuthContext
  /** The ids in the path, as sent. */
  ids: { readonly [Name in PathName<E['path']>]: string }
  input: Input
} & CallerOf<E>

/** A call of any endpoint. */
export interface UntypedCall {
  ctx: AuthContext
  ids: Readonly<Record<string, string>>
  input: object
  caller?: Caller
  claims?: AccessTokenClaims
  admin?: Admin
}

/** The value that the guard of the caller returns. */
type CallerOf<E extends Endpoint> =
  Extract<E['guards'][number], { caller: unknown }> extends infer Guard
    ? Guard extends { isReadByUseCase: true }
      ? { claims: AccessTokenClaims }
      : Guard extends { caller: 'user' }
        ? { caller: Caller }
        : Guard extends { caller: 'operator' }
          ? { admin: Admin }
          : unknown
    : never

/** The kinds of the fields of a method in code: those of query and body. */
export type CodeKinds<E extends Endpoint> = KindsOf<E['query']> &
  KindsOf<NonNullable<E['body']>['kinds']>

type KindsOf<Kinds> = Kinds extends object ? Kinds : unknown

/** The input of a method in code. */
export type CodeInput<Kinds> = Read<Omit<Kinds, 'redirectTo'>> &
  ('redirectTo' extends keyof Kinds ? RedirectInput : unknown)

import type { RequestedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import type { Config } from '../../platform/config/config.ts'
import type { AuthErrorCode } from '../../platform/errors/auth-error.ts'
import {
  maxBodyBytes,
  maxLargeBodyBytes,
  maxPlainBodyBytes,
} from '../../platform/http/body-limit.ts'
import { type FieldKind, type Fields, fields, Json, Text } from '../../platform/http/inputs.ts'
import type { JsonSchema } from '../../platform/http/json-schema.ts'
import { type Guards, guardsOf } from './guards.ts'
import type { SchemaName } from './wire-schemas.ts'

/**
 * The description of an endpoint. Derived from it are the route and its guards, the method in code,
 * the errors in doc comments of the public API, the OpenAPI document, and the matrices of the
 * tests.
 */
export interface Endpoint<Input extends object = object> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In the notation of OpenAPI: `/factors/{factor_id}`. */
  path: string
  /** A sentence without its subject: “Signs in by password.” */
  summary: string
  /**
   * Whether it is also served outside the base path, at `/.well-known/<name>` followed by the path
   * of the service. @see RFC 8414 §3.1
   */
  isAtRoot?: true
  /**
   * In the order in which they run. The body is read after the limit, and before the captcha is
   * verified.
   */
  guards: Guards
  /**
   * Whether it adds or replaces a credential, or removes a factor, which a user with a verified
   * factor may do only after a recent proof: it calls `requireRecentProof`. Every endpoint of a
   * user declares it.
   */
  needsRecentProof?: boolean
  /** Whether a token without a session is rejected with `session_not_found`. Default: false. */
  needsSession?: boolean
  /** Whether the configuration adds the endpoint. Default: it is always there. */
  existsIf?: (config: Config) => boolean
  /** Whether browsers open it. They get a page for an error, where the service has pages. */
  isOpenedByBrowsers?: boolean
  /** Parameters of the query, by their names in code; on the wire they are in `snake_case`. */
  query?: Kinds<Input>
  /**
   * Fields of the body, likewise. Only one that holds metadata or a long text may be large: see
   * `body-limit.ts`.
   */
  body?: { readonly kinds: Kinds<Input> } & Fields
  isBodyOptional?: boolean
  /** By status: a schema or its name, or the names of alternative schemas; null for no content. */
  answers: Readonly<Record<number, Answered>>
  /**
   * The codes of its own errors. {@link commonErrors} returns those that follow from guards and
   * input.
   */
  errors: readonly AuthErrorCode[]
  /** The values of OAuth's `error` for some of them: see `oauthError` of `AuthErrorDetails`. */
  oauthErrors?: readonly string[]
  /** The method in code. A method with a result of its own is implemented beside the handler. */
  inCode?: `auth.api.${string}` | `auth.admin.${string}`
  /** Its section in `docs/endpoints.md`. Default: by its path. */
  section?: 'Second factors'
  /** The label of `auth.method` in metrics, for an endpoint that signs in or proves a factor. */
  signInMethod?: string
  /** The conditions of errors, for the doc comment of the method in code. */
  conditions?: Readonly<Partial<Record<AuthErrorCode, string>>>
}

/** Returns the largest body that an endpoint accepts, whether or not it reads one. */
export function maxBytesOf({ body, guards }: Pick<Endpoint, 'body' | 'guards'>): number {
  if (!body?.mayBeLarge) return maxPlainBodyBytes
  return guardsOf({ guards }).caller === 'operator' ? maxBodyBytes : maxLargeBodyBytes
}

/** The fields of a body that contain the token of a captcha. Clients nest it in an object. */
export const captchaFields = fields({ captchaToken: Text, gotrueMetaSecurity: Json })

/** A schema of one endpoint, beside it. Those of several endpoints are in `wire-schemas.ts`. */
export interface NamedSchema {
  /** In the OpenAPI document. */
  name: string
  schema: JsonSchema
  /** The schemas to which it refers, unless they are in `wire-schemas.ts`. */
  refersTo?: readonly NamedSchema[]
}

export type Answered = SchemaName | NamedSchema | readonly SchemaName[] | null

/** The kinds of fields, by the names that they have in code. */
export type Kinds<Input> = { readonly [Name in keyof Input]?: KindOf<Input, Name> }

/** The kind of a field, by its type; required unless the type is optional. */
type KindOf<Input, Name extends keyof Input> = FieldKind<
  Widened<NonNullable<Input[Name]>>,
  undefined extends Input[Name] ? false : true
>

type Widened<T> = [T] extends [string]
  ? string
  : [T] extends [boolean]
    ? boolean
    : [T] extends [number]
      ? number
      : [T] extends [readonly unknown[]]
        ? unknown[]
        : Record<string, unknown>

/**
 * An input of which only the JSON types were checked: any field may be missing, and an enumerated
 * text may have any value. It does not contain the token, which was verified before.
 */
export type Unvalidated<Input> = {
  [Name in Exclude<keyof Input, 'redirectTo' | 'accessToken'>]?:
    | Widened<NonNullable<Input[Name]>>
    | undefined
} & ('redirectTo' extends keyof Input ? RedirectInput : unknown)

/** The redirect target that a request contains. */
export interface RedirectInput {
  redirect?: RequestedRedirect | undefined
}

/** Returns the errors that follow from the guards and the body of an endpoint. */
export function commonErrors({ guards, body }: Pick<Endpoint, 'guards' | 'body'>): AuthErrorCode[] {
  const { caller, limit, captcha } = guardsOf({ guards })
  return [
    ...anywhere,
    ...(body || captcha ? ofBodies : []),
    ...(captcha ? (['captcha_failed'] as const) : []),
    ...(limit ? (['over_request_rate_limit'] as const) : []),
    ...(caller === 'anyone' ? [] : ofTokens),
    ...(caller === 'operator' ? ofOperators : []),
  ]
}

const anywhere = [
  'validation_failed',
  'request_entity_too_large',
  'request_timeout',
  'service_unavailable',
  'unexpected_failure',
] as const satisfies AuthErrorCode[]
const ofBodies = ['bad_json'] as const satisfies AuthErrorCode[]
const ofTokens = [
  'insufficient_scope',
  'no_authorization',
  'bad_jwt',
  'session_not_found',
  'session_expired',
  'user_not_found',
  'user_banned',
] as const satisfies AuthErrorCode[]
const ofOperators = ['not_admin', 'insufficient_aal'] as const satisfies AuthErrorCode[]

/** The errors of an endpoint that sends a message. */
export const messageErrors = [
  'email_address_invalid',
  'email_address_not_authorized',
  'over_email_send_rate_limit',
  'over_sms_send_rate_limit',
  'sms_send_failed',
] as const satisfies AuthErrorCode[]

/**
 * The errors of an endpoint that calls a hook before it responds: `unknown` is a rejection by the
 * hook, with the hook's message. A hook that is a function may throw an AuthError of any code.
 */
export const hookErrors = [
  'hook_payload_invalid_content_type',
  'hook_payload_over_size_limit',
  'hook_timeout',
  'hook_timeout_after_retry',
  'unknown',
] as const satisfies AuthErrorCode[]

/** Returns the names in a path, as the wire and as code spell them. */
export const pathNames = (path: string): { onWire: string; inCode: string }[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, onWire = '']) => ({
    onWire,
    inCode: onWire.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  }))

/** The names in a path, as code spells them: `/factors/{factor_id}` has `factorId`. */
export type PathName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? InCode<Name> | PathName<Rest>
  : never

type InCode<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<InCode<Rest>>}`
  : Name

/** Spells a path as the router does: `/factors/:factor_id`. */
export const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

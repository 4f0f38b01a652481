import type { AuthErrorCode } from '../errors/auth-error.ts'
import type { LimitName } from '../limits/request-limit.ts'
import type { RedirectWish } from '../redirects/allowed-redirect.ts'
import { type FieldKind, type Fields, fields, Json, Text } from './inputs.ts'
import type { SchemaName } from './wire-schemas.ts'

/**
 * What is true of an endpoint, said once, beside its route. Made from it are: what the route reads, the input of
 * its twin in `auth.api` or `auth.admin`, the matrix of who may call it, and the OpenAPI document.
 *
 * What checks a request still stands in the route, in the order in which it runs.
 */
export interface Endpoint<Input extends object = object> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As OpenAPI writes it: `/factors/{factor_id}`. */
  path: string
  /** What it does, in one sentence without its subject: “Signs in by password.” */
  summary: string
  /** Who is let in: anyone, whoever has the token of a user, or an operator. */
  caller: 'anyone' | 'user' | 'operator'
  /** The count of requests per client that it takes from. */
  limit?: LimitName
  /** Whether a solved captcha is asked for, where captchas are switched on. */
  captcha?: true
  /** Parameters of the query, by their names in code; on the wire they are in `snake_case`. */
  query?: Kinds<Input>
  /** Fields of the body, likewise. Only one that holds metadata or a long text may be large: see `body-limit.ts`. */
  body?: { readonly kinds: Kinds<Input> } & Fields
  /** Whether the body may be left out. */
  isBodyOptional?: boolean
  /** What it answers, by status: the name of a schema, or of several of which one; null for no content. */
  answers: Readonly<Record<number, Answered>>
  /** The codes that are its own: {@link commonErrors} are those that follow from the above. */
  errors: readonly AuthErrorCode[]
  /** The words of OAuth under which it tells some of them: see `oauthError` of `AuthErrorDetails`. */
  oauthErrors?: readonly string[]
}

/** Where a body holds the token of a captcha. Clients write it into an object of its own. */
export const captchaFields = fields({ captchaToken: Text, gotrueMetaSecurity: Json })

export type Answered = SchemaName | readonly SchemaName[] | null

/** The kinds of fields, by the names that they have in code. */
export type Kinds<Input> = { readonly [Name in keyof Input]?: KindOf<Input, Name> }

/** The kind of a field, by its type; required where the type says so. */
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
 * An input that has its shape, and nothing else of it has been checked: any field may be missing, and any word
 * another one. The token is not in it, since whoever it is of has been found out before.
 */
export type Unread<Input> = {
  [Name in Exclude<keyof Input, 'redirectTo' | 'accessToken'>]?:
    | Widened<NonNullable<Input[Name]>>
    | undefined
} & ('redirectTo' extends keyof Input ? { redirect?: RedirectWish | undefined } : unknown)

/** The errors that an endpoint may answer because of who may call it, what it counts and what it reads. */
export function commonErrors({ caller, limit, captcha, body }: Endpoint): AuthErrorCode[] {
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
  'no_authorization',
  'bad_jwt',
  'session_not_found',
  'user_not_found',
  'user_banned',
] as const satisfies AuthErrorCode[]
const ofOperators = [
  'not_admin',
  'insufficient_aal',
  'session_expired',
] as const satisfies AuthErrorCode[]

/** What may keep a message from being sent, and is told. */
export const messageErrors = [
  'email_address_invalid',
  'email_address_not_authorized',
  'over_email_send_rate_limit',
  'over_sms_send_rate_limit',
  'sms_send_failed',
] as const satisfies AuthErrorCode[]

/**
 * What a hook that is asked before the answer may end in: `unknown` is its no, in its own words. A hook that is a
 * function may throw an AuthError of any code.
 */
export const hookErrors = [
  'hook_payload_invalid_content_type',
  'hook_payload_over_size_limit',
  'hook_timeout',
  'hook_timeout_after_retry',
  'unknown',
] as const satisfies AuthErrorCode[]

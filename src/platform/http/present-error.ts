import { type AuthError, stepUpActions, weakPasswordReasons } from '../errors/auth-error.ts'
import type { JsonSchema } from './json-schema.ts'

/** The oldest version whose error bodies contain the code as text. */
const versionWithTextCodes = '2024-01-01'

export const apiVersionHeader = 'x-supabase-api-version'

/** The properties of a request that determine the form of its error response. */
export interface ErrorAudience {
  requestId: string
  /** The value of the version header. */
  apiVersion: string | null
}

export interface PresentedError {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/**
 * Returns the wire form of an error, with the status as `code` or, for clients that request a later
 * version, with the code. OAuth errors have the form of OAuth in all versions.
 */
export function presentError(error: AuthError, audience: ErrorAudience): PresentedError {
  const { weakPasswordReasons: reasons, retryAfterSeconds, allowedMethods } = error.details
  const { oauthError, stepUp } = error.details
  const extra = {
    ...(reasons && { weak_password: { reasons } }),
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
    ...(stepUp !== undefined && { step_up: stepUp }),
    request_id: audience.requestId,
  }
  const headers = {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(allowedMethods && { allow: allowedMethods.join(', ') }),
    ...(oauthError === undefined && { 'x-sb-error-code': error.code }),
  }
  if (oauthError !== undefined) {
    const body = { error: oauthError, error_description: error.message, ...extra }
    return { status: error.status, headers, body }
  }
  if (wantsTextCodes(audience.apiVersion)) {
    return {
      status: error.status,
      headers: { ...headers, [apiVersionHeader]: versionWithTextCodes },
      body: { code: error.code, message: error.message, ...extra },
    }
  }
  return {
    status: error.status,
    headers,
    body: { code: error.status, error_code: error.code, msg: error.message, ...extra },
  }
}

const wantsTextCodes = (version: string | null): boolean =>
  version !== null && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= versionWithTextCodes

const details = {
  weak_password: {
    type: 'object',
    properties: { reasons: { type: 'array', items: { enum: weakPasswordReasons } } },
    required: ['reasons'],
  },
  retry_after: { type: 'integer', description: 'Seconds until a new attempt may succeed.' },
  step_up: {
    enum: stepUpActions,
    description:
      'Action that the user has to take before the request succeeds: enroll a factor, verify a factor in this session, or sign in again.',
  },
  request_id: { type: 'string', description: 'The id under which the log contains details.' },
} as const

export const errorSchema = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: 'The status.' },
    error_code: { type: 'string' },
    msg: { type: 'string', description: 'For people; it changes between versions.' },
    ...details,
  },
  required: ['code', 'error_code', 'msg', 'request_id'],
  additionalProperties: false,
} as const satisfies JsonSchema

/** The form for clients that request a version of 2024 or later. */
export const textCodeErrorSchema = {
  type: 'object',
  properties: {
    code: { type: 'string' },
    message: { type: 'string', description: 'For people; it changes between versions.' },
    ...details,
  },
  required: ['code', 'message', 'request_id'],
  additionalProperties: false,
} as const satisfies JsonSchema

/** The form of OAuth, in all versions. @see RFC 6749 §5.2 */
export const oauthErrorSchema = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    error_description: { type: 'string', description: 'For people; it changes between versions.' },
    ...details,
  },
  required: ['error', 'error_description', 'request_id'],
  additionalProperties: false,
} as const satisfies JsonSchema

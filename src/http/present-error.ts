import type { AuthError } from '../errors/auth-error.ts'

/** The oldest version in which error bodies carry the code as text. */
const versionWithTextCodes = '2024-01-01'

export const apiVersionHeader = 'x-supabase-api-version'

/** What the request says about how it wants to be answered. */
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

/** The wire form of an error: with the status as `code`, or, for clients that say so, with the code. */
export function presentError(error: AuthError, audience: ErrorAudience): PresentedError {
  const { weakPasswordReasons, retryAfterSeconds, allowedMethods } = error.details
  const extra = {
    ...(weakPasswordReasons && { weak_password: { reasons: weakPasswordReasons } }),
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
    request_id: audience.requestId,
  }
  const headers = {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(allowedMethods && { allow: allowedMethods.join(', ') }),
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

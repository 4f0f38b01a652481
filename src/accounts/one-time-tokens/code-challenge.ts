import { validationFailed } from '../../platform/errors/request-errors.ts'

/** The code challenge, which a client sends before it gets a code. @see RFC 7636 §4.2 */
export interface CodeChallenge {
  value: string
  method: 's256' | 'plain'
}

/** The two fields as sent. */
export interface CodeChallengeInput {
  codeChallenge?: string | undefined
  codeChallengeMethod?: string | undefined
}

const form = /^[a-zA-Z._~0-9-]+$/

/**
 * Reads the code challenge of a PKCE request; null without one.
 *
 * @throws AuthError `validation_failed`
 */
export function readCodeChallenge(input: CodeChallengeInput): CodeChallenge | null {
  const value = input.codeChallenge || null
  const method = input.codeChallengeMethod?.toLowerCase() || null
  if (value === null && method === null) return null
  if (value === null || method === null) {
    throw validationFailed(
      'code_challenge: PKCE flow requires code_challenge_method and code_challenge',
    )
  }
  if (value.length < 43 || value.length > 128) {
    throw validationFailed('code_challenge: has to be between 43 and 128 characters')
  }
  if (!form.test(value)) {
    throw validationFailed(
      'code_challenge: can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    )
  }
  if (method !== 's256' && method !== 'plain') {
    throw validationFailed('code_challenge_method: has to be s256 or plain')
  }
  return { value, method }
}

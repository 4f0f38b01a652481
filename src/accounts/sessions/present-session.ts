import { weakPasswordReasons } from '../../platform/errors/auth-error.ts'
import type { JsonSchema } from '../../platform/http/json-schema.ts'
import type { SessionTokens } from './session-tokens.ts'

/**
 * Builds a token response.
 *
 * @param user as returned by `present-user.ts`.
 * @see RFC 6749 §5.1
 */
export const presentSession = (
  user: Record<string, unknown>,
  session: SessionTokens,
): Record<string, unknown> => ({
  access_token: session.accessToken,
  token_type: 'bearer',
  expires_in: session.expiresInSeconds,
  expires_at: Math.floor(session.expiresAt.getTime() / 1000),
  refresh_token: session.refreshToken,
  user,
})

export const sessionSchema = {
  type: 'object',
  properties: {
    access_token: { type: 'string', description: 'A JSON Web Token.' },
    token_type: { const: 'bearer' },
    expires_in: { type: 'integer', description: 'In seconds.' },
    expires_at: { type: 'integer', description: 'In seconds since 1970.' },
    refresh_token: { type: 'string' },
    user: { $ref: '#/components/schemas/User' },
    weak_password: {
      type: ['object', 'null'],
      description: 'After a sign-in by password: the rules for new passwords that it breaks.',
      properties: {
        message: { type: 'string' },
        reasons: { type: 'array', items: { enum: weakPasswordReasons } },
      },
    },
    provider_token: {
      type: 'string',
      description: 'After a sign-in through a provider: its access token.',
    },
    provider_refresh_token: {
      type: 'string',
      description: 'Its refresh token, where it gave one.',
    },
    type: { type: 'string', description: 'After a proof: what its link or code was for.' },
  },
  required: ['access_token', 'token_type', 'expires_in', 'expires_at', 'refresh_token', 'user'],
  additionalProperties: false,
} as const satisfies JsonSchema

import { weakPasswordReasons } from '../../platform/errors/auth-error.ts'
import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import type { SessionInfo, SessionTokens } from './session-info.ts'

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

/** Builds the wire form of a session in a list. */
export const presentSessionInfo = (session: SessionInfo): Record<string, unknown> => ({
  id: session.id,
  current: session.isCurrent,
  aal: session.aal,
  device: session.device ?? undefined,
  user_agent: session.userAgent ?? undefined,
  ip: session.ip ?? undefined,
  created_at: session.createdAt,
  last_used_at: session.lastUsedAt,
})

/** The response of `GET /user/sessions` and of the endpoint for operators. */
export const sessionsSchema = {
  name: 'Sessions',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        current: {
          type: 'boolean',
          description: 'Whether the access token of the request is one of this session.',
        },
        aal: { enum: ['aal1', 'aal2'] },
        device: {
          type: 'string',
          description: 'Browser and operating system, such as `Firefox on Windows`, where known.',
        },
        user_agent: { type: 'string', description: 'As the client sent it.' },
        ip: { type: 'string', description: 'The address of the last use, where known.' },
        created_at: instant,
        last_used_at: instant,
      },
      required: ['id', 'current', 'aal', 'created_at', 'last_used_at'],
      additionalProperties: false,
    },
  },
} as const satisfies { name: string; schema: JsonSchema }

import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import type { SessionInfo } from './session-info.ts'

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

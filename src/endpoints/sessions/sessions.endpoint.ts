import { sessionsSchema } from '../../accounts/sessions/present-session.ts'
import type { ListSessionsInput } from '../../accounts/sessions/session-info.ts'
import { Whole } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { user } from '../http/guards.ts'

/** A session of the signed-in user. */
export interface SessionInput {
  accessToken: string
  sessionId: string
}

export const listSessionsEndpoint = {
  method: 'GET',
  path: '/user/sessions',
  summary: 'Lists the live sessions of the signed-in user by pages, the last used first.',
  inCode: 'auth.api.listSessions',
  guards: [user],
  needsRecentProof: false,
  query: { page: Whole, perPage: Whole },
  answers: { 200: sessionsSchema },
  errors: [],
} as const satisfies Endpoint<ListSessionsInput>

export const deleteSessionEndpoint = {
  method: 'DELETE',
  path: '/user/sessions/{session_id}',
  summary: 'Ends one session of the signed-in user, which may be the current one.',
  inCode: 'auth.api.revokeSession',
  guards: [user],
  needsRecentProof: false,
  answers: { 204: null },
  errors: ['session_not_found'],
  conditions: {
    session_not_found: 'with 404 for a session that is not one of the user',
  },
} as const satisfies Endpoint

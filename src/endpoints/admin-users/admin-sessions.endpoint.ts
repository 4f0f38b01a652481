import { sessionsSchema } from '../../accounts/sessions/present-session.ts'
import type { ListSessionsInput } from '../../accounts/sessions/session-info.ts'
import { Whole } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

export const listSessionsByIdEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}/sessions',
  summary: 'Lists the live sessions of a user by pages, the last used first.',
  inCode: 'auth.admin.listSessions',
  guards: [operator],
  query: { page: Whole, perPage: Whole },
  answers: { 200: sessionsSchema },
  errors: ['user_not_found'],
} as const satisfies Endpoint<ListSessionsInput>

export const deleteSessionsByIdEndpoint = {
  method: 'DELETE',
  path: '/admin/users/{user_id}/sessions',
  summary:
    'Ends all sessions of a user, and revokes authorization codes and pending changes of address.',
  inCode: 'auth.admin.signOut',
  guards: [operator],
  answers: { 204: null },
  errors: ['user_not_found'],
} as const satisfies Endpoint

export const deleteSessionByIdEndpoint = {
  method: 'DELETE',
  path: '/admin/users/{user_id}/sessions/{session_id}',
  summary: 'Ends one session of a user.',
  inCode: 'auth.admin.revokeSession',
  guards: [operator],
  answers: { 204: null },
  errors: ['session_not_found'],
} as const satisfies Endpoint

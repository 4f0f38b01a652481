import { implementSeparately } from '../../../endpoints/http/implement.ts'
import { Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { inOauthForm, notStored, tokenForm } from '../protocol/oauth-answer.ts'
import { parametersIn, readRawBody } from '../protocol/parameters.ts'
import { introspectToken } from './introspect-token.ts'
import { revokeToken } from './revoke-token.ts'
import { introspectEndpoint, revokeEndpoint } from './token-management.endpoint.ts'

export const tokenManagementRoutes = [
  implementSeparately(revokeEndpoint, {
    readBody: readRawBody,
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, tokenForm, async () => {
          await revokeToken(ctx, event, parametersIn(body))
          return new Answer(200, { ...notStored, 'content-length': '0' })
        }),
  }),
  implementSeparately(introspectEndpoint, {
    readBody: readRawBody,
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, tokenForm, async () =>
          jsonAnswer(200, await introspectToken(ctx, event, parametersIn(body)), notStored),
        ),
  }),
] as const

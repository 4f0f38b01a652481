import { implementSeparately } from '../../../endpoints/http/implement.ts'
import { jsonAnswer } from '../../../platform/http/answer.ts'
import { inOauthForm, notStored, tokenForm } from '../protocol/oauth-answer.ts'
import { parametersIn, readRawBody } from '../protocol/parameters.ts'
import { pushEndpoint } from './pushed-request.endpoint.ts'
import { pushRequest } from './pushed-request.ts'

export const pushedRequestRoutes = [
  implementSeparately(pushEndpoint, {
    readBody: readRawBody,
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, tokenForm, async () => {
          const pushed = await pushRequest(ctx, event, parametersIn(body))
          const { requestUri, expiresInSeconds } = pushed
          const body201 = { request_uri: requestUri, expires_in: expiresInSeconds }
          return jsonAnswer(201, body201, notStored)
        }),
  }),
] as const

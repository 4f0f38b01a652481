import { implementSeparately } from '../../../endpoints/http/implement.ts'
import type { AuthError } from '../../../platform/errors/auth-error.ts'
import { jsonAnswer } from '../../../platform/http/answer.ts'
import { checkBody } from '../../../platform/http/check-input.ts'
import { jsonIn } from '../../../platform/http/plain-json.ts'
import { inOauthForm, notStored } from '../protocol/oauth-answer.ts'
import { clientFields } from './client-fields.ts'
import { createClient } from './manage-clients.ts'
import { presentNewClient } from './present-client.ts'
import { registerClientEndpoint } from './registration.endpoint.ts'

export const registrationRoutes = [
  implementSeparately(registerClientEndpoint, {
    // Read in the handler, so that a malformed body is rejected in the form of RFC 7591, too.
    readBody: () => (text) => ({ text }),
    handle:
      () =>
      ({ ctx, event, input: { text } }) =>
        inOauthForm(event, { errorOf }, async () => {
          const input = checkBody(jsonIn(text), clientFields)
          const client = await createClient(ctx, null, input)
          return jsonAnswer(201, presentNewClient(client), notStored)
        }),
  }),
] as const

/** @see RFC 7591 §3.2.2 */
const errorOf = ({ message }: AuthError): string =>
  message.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata'

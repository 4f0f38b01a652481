import { implement, implementSeparately } from '../../../endpoints/http/implement.ts'
import { Answer, answerJsonText, jsonList } from '../../../platform/http/answer.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import { presentClientSummary } from '../clients/present-client.ts'
import { listGrantsEndpoint, revokeGrantEndpoint } from './grants.endpoint.ts'
import { listOwnGrants, type OauthGrant, revokeOwnGrant } from './grants.ts'

export const grantsRoutes = [
  implement(listGrantsEndpoint, {
    run: ({ ctx, caller }) => listOwnGrants(ctx, caller),
    present: async (grants, { event }) =>
      answerJsonText(event, await jsonList(grants, presentGrant)),
  }),
  implementSeparately(revokeGrantEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, event }) => {
        await revokeOwnGrant(ctx, caller, readQuery(event, 'client_id'))
        return new Answer(204)
      },
    run: ({ ctx, caller, input: { clientId } }) => revokeOwnGrant(ctx, caller, clientId),
  }),
] as const

const presentGrant = ({ client, scopes, grantedAt }: OauthGrant): Record<string, unknown> => ({
  client: presentClientSummary(client),
  scopes,
  granted_at: grantedAt,
})

import { implementSeparately } from '../../endpoints/http/implement.ts'
import { Answer, answerJsonText, jsonList } from '../../platform/http/answer.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { listGrantsEndpoint, revokeGrantEndpoint } from './grants.endpoint.ts'
import { listOwnGrants, type OauthGrant, revokeOwnGrant } from './grants.ts'
import { presentClientSummary } from './present-client.ts'

export const grantsRoutes = [
  implementSeparately(listGrantsEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, event }) =>
        answerJsonText(event, await jsonList(await listOwnGrants(ctx, caller), presentGrant)),
  }),
  implementSeparately(revokeGrantEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, event }) => {
        await revokeOwnGrant(ctx, caller, readQuery(event, 'client_id'))
        return new Answer(204)
      },
  }),
] as const

const presentGrant = ({ client, scopes, grantedAt }: OauthGrant): Record<string, unknown> => ({
  client: presentClientSummary(client),
  scopes,
  granted_at: grantedAt,
})

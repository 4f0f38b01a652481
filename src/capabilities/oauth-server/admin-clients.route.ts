import { implement, implementSeparately } from '../../endpoints/http/implement.ts'
import { Answer, jsonAnswer } from '../../platform/http/answer.ts'
import { createPageTurns, readPage, setPageHeaders } from '../../platform/http/paging.ts'
import {
  createClientEndpoint,
  deleteClientEndpoint,
  getClientEndpoint,
  listClientsEndpoint,
  regenerateSecretEndpoint,
  updateClientEndpoint,
} from './admin-clients.endpoint.ts'
import {
  changeClient,
  createClient,
  getClient,
  listAllClients,
  regenerateClientSecret,
  removeClient,
} from './manage-clients.ts'
import { presentClient, presentNewClient } from './present-client.ts'

export const adminClientsRoutes = [
  implement(createClientEndpoint, {
    run: ({ ctx, admin, input }) => createClient(ctx, admin, input),
    present: (client) => jsonAnswer(201, presentNewClient(client)),
  }),
  implementSeparately(listClientsEndpoint, {
    handle: () => {
      const inTurn = createPageTurns()
      return async ({ ctx, event }) => {
        const page = readPage(event)
        return inTurn(page, async () => {
          const { clients, total } = await listAllClients(ctx, page)
          setPageHeaders(event, page, total)
          return { clients: clients.map(presentClient) }
        })
      }
    },
  }),
  implement(getClientEndpoint, {
    run: ({ ctx, ids }) => getClient(ctx, ids.clientId),
    present: presentClient,
  }),
  implement(updateClientEndpoint, {
    run: ({ ctx, admin, ids, input }) => changeClient(ctx, admin, ids.clientId, input),
    present: presentClient,
  }),
  implement(deleteClientEndpoint, {
    run: ({ ctx, admin, ids }) => removeClient(ctx, admin, ids.clientId),
    present: () => new Answer(204),
  }),
  implement(regenerateSecretEndpoint, {
    run: ({ ctx, admin, ids }) => regenerateClientSecret(ctx, admin, ids.clientId),
    present: presentNewClient,
  }),
] as const

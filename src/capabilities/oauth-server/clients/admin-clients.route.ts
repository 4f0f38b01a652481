import { implement, implementSeparately } from '../../../endpoints/http/implement.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { createPageSemaphore, readPage, setPageHeaders } from '../../../platform/http/paging.ts'
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

/** @throws AuthError `validation_failed` (400). */
function requirePage(page: number, perPage: number): void {
  if (page < 1) throw validationFailed('page: has to be 1 or more')
  if (perPage < 1 || perPage > maxPerPage) {
    throw validationFailed(`per_page: has to be from 1 to ${maxPerPage}`)
  }
}

const maxPerPage = 1_000

export const adminClientsRoutes = [
  implement(createClientEndpoint, {
    run: ({ ctx, admin, input }) => createClient(ctx, admin, input),
    present: (client) => jsonAnswer(201, presentNewClient(client)),
  }),
  implementSeparately(listClientsEndpoint, {
    handle: () => {
      const inTurn = createPageSemaphore()
      return async ({ ctx, event }) => {
        const page = readPage(event)
        return inTurn(page, async () => {
          const { clients, total } = await listAllClients(ctx, page)
          setPageHeaders(event, page, total)
          return { clients: clients.map(presentClient), aud: ctx.request.audience }
        })
      }
    },
    run: async ({ ctx, input: { page = 1, perPage = 50 } }) => {
      requirePage(page, perPage)
      return listAllClients(ctx, { page, perPage })
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

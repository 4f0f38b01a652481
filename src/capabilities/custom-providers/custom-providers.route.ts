import { implement, implementSeparately } from '../../endpoints/http/implement.ts'
import { Answer, jsonAnswer } from '../../platform/http/answer.ts'
import { fields, oneOf } from '../../platform/http/inputs.ts'
import { readPage, setPageHeaders } from '../../platform/http/paging.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { customProviderTypes } from './custom-provider.ts'
import {
  createCustomProviderEndpoint,
  deleteCustomProviderEndpoint,
  getCustomProviderEndpoint,
  listCustomProvidersEndpoint,
  updateCustomProviderEndpoint,
} from './custom-providers.endpoint.ts'
import { maxCustomProviders } from './custom-providers.sql.ts'
import {
  changeCustomProvider,
  createCustomProvider,
  getCustomProvider,
  listProviders,
  removeCustomProvider,
} from './manage-custom-providers.ts'
import { presentCustomProvider } from './present-custom-provider.ts'

export const customProvidersRoutes = [
  implementSeparately(listCustomProvidersEndpoint, {
    handle:
      () =>
      async ({ ctx, event }) => {
        // Without paging the list is whole, as clients expect it: the table has a maximum.
        const page = readPage(event, maxCustomProviders)
        const type = readQuery(event, 'type')
        const { providers, total } = await listProviders(ctx, { type }, page)
        setPageHeaders(event, page, total)
        return { providers: providers.map(presentCustomProvider) }
      },
    fields: fields({ type: oneOf(customProviderTypes) }),
    run: async ({ ctx, input }) => {
      const { providers } = await listProviders(ctx, input)
      return { providers }
    },
  }),
  implement(createCustomProviderEndpoint, {
    run: ({ ctx, admin, input }) => createCustomProvider(ctx, admin, input),
    present: (provider) => jsonAnswer(201, presentCustomProvider(provider)),
  }),
  implement(getCustomProviderEndpoint, {
    run: ({ ctx, ids }) => getCustomProvider(ctx, ids.identifier),
    present: presentCustomProvider,
  }),
  implement(updateCustomProviderEndpoint, {
    run: ({ ctx, admin, ids, input }) => changeCustomProvider(ctx, admin, ids.identifier, input),
    present: presentCustomProvider,
  }),
  implement(deleteCustomProviderEndpoint, {
    run: ({ ctx, admin, ids }) => removeCustomProvider(ctx, admin, ids.identifier),
    present: () => new Answer(204),
  }),
] as const

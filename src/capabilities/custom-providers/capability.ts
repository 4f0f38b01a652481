import { defineBuiltInCapability } from '../capability.ts'
import { openCustomProviders } from './custom-provider-registry.ts'
import { clientSecretBox, customProviderColumns } from './custom-provider-row.ts'
import { customProvidersRoutes } from './custom-providers.route.ts'
import * as terms from './custom-providers.terms.ts'
import { settings } from './custom-providers-settings.terms.ts'
import { customProviderTable } from './migrations.ts'

/** External providers that operators register by the admin API. */
export const customProviders = defineBuiltInCapability({
  name: 'custom-providers',
  terms,
  settings,
  migrations: [{ name: '20261126-custom-providers', statements: customProviderTable }],
  entities: async () => {
    const { CustomProviderEntity } = await import('./custom-provider.entity.ts')
    return [CustomProviderEntity]
  },
  personalTables: {},
  otherTables: { custom_providers: 'external providers of the service, which contain no user' },
  otherColumns: { custom_providers: customProviderColumns },
  endpoints: [],
  operatorEndpoints: customProvidersRoutes,
  sweeps: [],
  endGrants: () => [],
  openProviderRegistry: openCustomProviders,
  sealedColumns: [
    {
      table: 'custom_providers',
      column: 'sealed_client_secret',
      id: 'id',
      name: 'secrets of custom providers',
      boxOf: clientSecretBox,
    },
  ],
})

import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { oneEmail } from './profile.ts'

const ownHost = 'https://api.fly.io'
const others = ['resource_owner_id', 'organizations', 'application', 'scope', 'created_at']

export const fly: ProviderDefinition = {
  label: providerLabels.fly,
  endpoints: ({ url }) => ({
    authorization: `${url ?? ownHost}/oauth/authorize`,
    token: `${url ?? ownHost}/oauth/token`,
  }),
  scopes: ['read'],
  async readProfile({ client, get }) {
    const api = client.url ?? ownHost
    const user = await get(`${api}/oauth/token/info`)
    return {
      subject: user.text('user_id'),
      emails: oneEmail(user.text('email'), true),
      claims: {
        iss: api,
        full_name: user.text('user_name'),
        custom_claims: Object.fromEntries(others.map((name) => [name, user.value(name) ?? null])),
      },
    }
  },
}

import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail } from './profile.ts'

/** @see https://developers.figma.com/docs/rest-api/oauth-apps/ */
export const figma: ProviderDefinition = {
  label: providerLabels.figma,
  endpoints: ({ url }) => ({
    authorization: `${url ?? 'https://www.figma.com'}/oauth`,
    token: `${url ?? 'https://api.figma.com'}/v1/oauth/token`,
  }),
  scopes: ['current_user:read'],
  async readProfile({ client, get }) {
    const api = client.url ?? 'https://api.figma.com'
    const user = await get(`${api}/v1/me`)
    return {
      subject: user.text('id'),
      // Figma creates accounts for confirmed addresses only.
      emails: oneEmail(user.text('email'), true),
      claims: { iss: api, ...named(user.text('handle')), avatar_url: user.text('img_url') },
    }
  },
}

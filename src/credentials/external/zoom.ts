import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { joinNames, named, oneEmail, pictured } from './profile.ts'

/** @see https://developers.zoom.us/docs/integrations/oauth/ */
export const zoom: ProviderDefinition = {
  label: providerLabels.zoom,
  endpoints: ({ url }) => {
    const site = url ?? 'https://zoom.us'
    return { authorization: `${site}/oauth/authorize`, token: `${site}/oauth/token` }
  },
  takesScopes: false,
  usesCodeVerifier: true,
  async readProfile({ client, get }) {
    const api = `${client.url ?? 'https://api.zoom.us'}/v2`
    const user = await get(`${api}/users/me`)
    return {
      subject: user.text('id'),
      emails: oneEmail(user.text('email'), hasConfirmedEmail(user)),
      claims: {
        iss: api,
        ...named(joinNames(user.text('first_name'), user.text('last_name'))),
        ...pictured(user.text('pic_url')),
      },
    }
  },
}

/** Login types that confirm the address: Google, Apple, and Zoom's own password. */
const confirmingLoginTypes = [1, 24, 100]

/**
 * Returns whether Zoom has verified the address. The directory of an account, which any user can
 * create, asserts the addresses of single sign-on (101) and of API users (99). Facebook, Microsoft
 * and others do not prove addresses to Zoom.
 *
 * @see https://developers.zoom.us/docs/api/users/
 */
function hasConfirmedEmail(user: JsonReader): boolean {
  const types = [user.value('login_type'), user.value('login_types')]
    .flat()
    .filter((type) => type !== undefined)
  const isConfirming = types.every((type) => confirmingLoginTypes.includes(Number(type)))
  return user.number('verified') === 1 && types.length > 0 && isConfirming
}

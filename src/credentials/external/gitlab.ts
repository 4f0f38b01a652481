import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ExternalEmail,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { named, pictured } from './profile.ts'

const ownHost = 'https://gitlab.com'

/** @see https://docs.gitlab.com/api/oauth2/ */
export const gitlab: ProviderDefinition = {
  label: providerLabels.gitlab,
  endpoints: ({ url }) => ({
    authorization: `${url ?? ownHost}/oauth/authorize`,
    token: `${url ?? ownHost}/oauth/token`,
  }),
  scopes: ['read_user'],
  usesCodeVerifier: true,
  async readProfile({ client, get }) {
    const site = client.url ?? ownHost
    const api = `${site}/api/v4`
    const [user, others] = await Promise.all([get(`${api}/user`), get(`${api}/user/emails`)])
    const emails: ExternalEmail[] = others.list().flatMap((email) => {
      const address = email.text('email')
      return address === null ? [] : [{ address, isVerified: false, isPrimary: false }]
    })
    const address = user.text('email')
    if (address !== null) {
      emails.push({ address, isVerified: user.text('confirmed_at') !== null, isPrimary: true })
    }
    return {
      subject: user.text('id'),
      emails,
      claims: { iss: site, ...named(user.text('name')), ...pictured(user.text('avatar_url')) },
    }
  },
}

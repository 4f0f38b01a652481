import type { ProviderDefinition } from '../config/sections/provider-definition.ts'
import { joinNames, named, oneEmail } from './profile.ts'

const ownHost = 'https://api.workos.com'

/** @see https://workos.com/docs/reference/sso */
export const workos: ProviderDefinition = {
  label: 'WorkOS',
  endpoints: ({ url }) => ({
    authorization: `${url ?? ownHost}/sso/authorize`,
    token: `${url ?? ownHost}/sso/token`,
  }),
  takesScopes: false,
  clientAuthentication: 'body',
  readProfile({ client, tokens: { answer } }) {
    const text = (member: string) => answer.text('profile', member)
    return {
      subject: text('id'),
      // The organisation answers for the addresses of its members.
      emails: oneEmail(text('email'), true),
      claims: {
        iss: client.url ?? ownHost,
        ...named(joinNames(text('first_name'), text('last_name'))),
        custom_claims: {
          connection_id: text('connection_id') ?? '',
          organization_id: text('organization_id') ?? '',
        },
      },
    }
  },
}

import { providerLabels } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import { isInDomains } from '../../platform/kit/email-domain.ts'
import { joinNames, named, oneEmail } from './profile.ts'

const ownHost = 'https://api.workos.com'

/** @see https://workos.com/docs/reference/sso */
export const workos: ProviderDefinition = {
  label: providerLabels.workos,
  endpoints: ({ url }) => ({
    authorization: `${url ?? ownHost}/sso/authorize`,
    token: `${url ?? ownHost}/sso/token`,
  }),
  takesScopes: false,
  clientAuthentication: 'body',
  readProfile({ client, tokens: { answer } }) {
    const text = (member: string) => answer.text('profile', member)
    const organization = text('organization_id')
    const { organizations = {} } = client
    const isBound = organization !== null && Object.hasOwn(organizations, organization)
    const domains = isBound ? (organizations[organization] ?? []) : []
    const email = text('email')
    return {
      subject: text('id'),
      // The directory of an organization can assert any address. Only the operator can bind it to
      // domains.
      emails: oneEmail(email, email !== null && isInDomains(email, domains)),
      organization: isBound ? organization : null,
      claims: {
        iss: client.url ?? ownHost,
        ...named(joinNames(text('first_name'), text('last_name'))),
        custom_claims: {
          connection_id: text('connection_id') ?? '',
          organization_id: organization ?? '',
        },
      },
    }
  },
}

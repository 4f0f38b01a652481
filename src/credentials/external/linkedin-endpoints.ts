import type {
  ProviderClient,
  ProviderEndpoints,
} from '../../platform/config/sections/provider-definition.ts'

export const linkedinHost = 'https://api.linkedin.com'

/** The endpoints of both LinkedIn providers. */
export const linkedinEndpoints = ({ url }: ProviderClient): ProviderEndpoints => ({
  authorization: `${url ?? linkedinHost}/oauth/v2/authorization`,
  token: `${url ?? linkedinHost}/oauth/v2/accessToken`,
})

import { providerIssuers } from '../../platform/config/provider-issuers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  ExternalProfile,
  JsonReader,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { oneEmail } from './profile.ts'

const ownHost = 'https://api.vercel.com'

/** @see https://vercel.com/docs/integrations/create-integration/marketplace-api */
export const vercelMarketplace: ProviderDefinition = {
  label: providerLabels.vercel_marketplace,
  endpoints: ({ url }) => ({
    authorization: `${url ?? ownHost}/oauth/v2/authorization`,
    token: `${url ?? ownHost}/oauth/v2/accessToken`,
  }),
  readProfile: async ({ verifyIdToken }) => readClaims(await verifyIdToken()),
  idToken: { issuerOf: providerIssuers.vercel_marketplace, readClaims },
}

function readClaims(claims: JsonReader): ExternalProfile {
  // `sub` identifies a membership. The user's own id is the same in all teams.
  const person = claims.text('global_user_id')
  return {
    subject: person === null ? claims.text('sub') : `global_user_id:${person}`,
    // The token does not contain whether the address is verified, and a team can have its own
    // directory.
    emails: oneEmail(claims.text('user_email'), false),
    claims: {
      iss: claims.text('iss'),
      name: claims.text('user_name'),
      picture: claims.text('user_avatar_url'),
    },
  }
}

import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  CallbackContext,
  ExternalProfile,
  ProviderClient,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'

/**
 * For applications from before Sign in with Slack with OpenID Connect; newer ones use `slack_oidc`.
 */
export const slack: ProviderDefinition = {
  label: providerLabels.slack,
  endpoints: (client) => ({
    authorization: `${client.url ?? slackHost}/oauth/authorize`,
    token: `${slackApi(client)}/oauth.access`,
  }),
  scopes: ['profile', 'email', 'openid'],
  readProfile: readSlackProfile,
}

/** @see https://docs.slack.dev/authentication/sign-in-with-slack/ */
export const slackOidc: ProviderDefinition = {
  label: providerLabels.slack_oidc,
  endpoints: (client) => ({
    authorization: `${client.url ?? slackHost}/openid/connect/authorize`,
    token: `${slackApi(client)}/openid.connect.token`,
  }),
  scopes: ['profile', 'email', 'openid'],
  readProfile: readSlackProfile,
}

const slackHost = 'https://slack.com'

const slackApi = ({ url }: ProviderClient): string => `${url ?? slackHost}/api`

/**
 * Reads the profile for both Slack providers.
 *
 * No address is verified, whatever `email_verified` is: the owner of a workspace, which any user
 * can create, sets the addresses of its members by single sign-on or SCIM.
 *
 * @see https://docs.slack.dev/admins/scim-api
 */
async function readSlackProfile({ client, get }: CallbackContext): Promise<ExternalProfile> {
  const api = slackApi(client)
  const user = await get(`${api}/openid.connect.userInfo`)
  const team = 'https://slack.com/team_id'
  return {
    subject: user.text('https://slack.com/user_id'),
    emails: oneEmail(user.text('email'), false),
    claims: {
      iss: api,
      ...named(user.text('name')),
      ...pictured(user.text('picture')),
      custom_claims: { [team]: user.text(team) ?? '' },
    },
  }
}

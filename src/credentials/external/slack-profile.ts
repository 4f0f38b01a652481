import type {
  CallbackContext,
  ExternalProfile,
  ProviderClient,
} from '../../platform/config/sections/provider-definition.ts'
import { named, oneEmail, pictured } from './profile.ts'

export const slackHost = 'https://slack.com'

export const slackApi = ({ url }: ProviderClient): string => `${url ?? slackHost}/api`

/**
 * Reads the profile for both Slack providers.
 *
 * No address is verified, whatever `email_verified` is: the owner of a workspace, which any user
 * can create, sets the addresses of its members by single sign-on or SCIM.
 *
 * @see https://docs.slack.dev/admins/scim-api
 */
export async function readSlackProfile({ client, get }: CallbackContext): Promise<ExternalProfile> {
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

import type { ProviderName } from '../../../src/platform/config/provider-names.ts'

/**
 * The requests to a provider, and the profile of Ada Lovelace. Written from the documentation of
 * the providers, not from the code.
 */
export interface ExpectedSignIn {
  authorization: string
  scope: string | null
  /** Additional parameters of the authorization URL. */
  parameters?: Record<string, string>
  usesCodeVerifier?: true
  usesNonce?: true
  subject: string
  /** The claims without `iss`. */
  claims: Record<string, unknown>
  iss: string
  /**
   * The issuer of a provider below a base URL; null where it has none. Default: the base and this
   * path.
   */
  issBelowBase?: string | null
  /** The result for verified and unverified addresses. Default: unchanged. */
  emails?: 'always verified' | 'never verified' | 'first one of others'
}

const picture = 'https://pictures.example/ada.png'
const named = { name: 'Ada Lovelace', full_name: 'Ada Lovelace' }
const pictured = { picture, avatar_url: picture }

export const expectedSignIns: Record<ProviderName, ExpectedSignIn> = {
  apple: {
    authorization: 'https://appleid.apple.com/auth/authorize',
    scope: 'email name',
    parameters: { response_mode: 'form_post' },
    usesNonce: true,
    subject: '001.apple.1',
    iss: 'https://appleid.apple.com',
    issBelowBase: null,
    claims: { ...named, custom_claims: { is_private_email: true, auth_time: 1_700_000_000 } },
  },
  azure: {
    authorization: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    scope: 'openid',
    usesCodeVerifier: true,
    usesNonce: true,
    subject: 'pairwise-1',
    iss: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
    issBelowBase: '/v2.0',
    claims: { preferred_username: 'ada@example.com', full_name: 'Ada Lovelace' },
  },
  bitbucket: {
    authorization: 'https://bitbucket.org/site/oauth2/authorize',
    scope: 'account email',
    subject: '{aaaa-bbbb}',
    iss: 'https://api.bitbucket.org/2.0',
    issBelowBase: '/2.0',
    claims: named,
  },
  discord: {
    authorization: 'https://discord.com/api/oauth2/authorize',
    scope: 'email identify',
    usesCodeVerifier: true,
    subject: '80351110224678912',
    iss: 'https://discord.com/api',
    issBelowBase: '/api',
    claims: {
      name: 'ada#0',
      full_name: 'ada',
      custom_claims: { global_name: 'Ada' },
      picture:
        'https://cdn.discordapp.com/avatars/80351110224678912/a_8342729096ea3675442027381ff50dfe.gif',
      avatar_url:
        'https://cdn.discordapp.com/avatars/80351110224678912/a_8342729096ea3675442027381ff50dfe.gif',
    },
  },
  facebook: {
    authorization: 'https://www.facebook.com/dialog/oauth',
    scope: 'email',
    subject: '1020',
    iss: 'https://graph.facebook.com/me?fields=email,first_name,last_name,name,picture',
    issBelowBase: '/me?fields=email,first_name,last_name,name,picture',
    claims: { ...named, ...pictured, nickname: 'Ada L', slug: 'Ada L' },
    emails: 'always verified',
  },
  figma: {
    authorization: 'https://www.figma.com/oauth',
    scope: 'current_user:read',
    subject: '777',
    iss: 'https://api.figma.com',
    claims: { ...named, avatar_url: picture },
    emails: 'always verified',
  },
  fly: {
    authorization: 'https://api.fly.io/oauth/authorize',
    scope: 'read',
    subject: 'fly-1',
    iss: 'https://api.fly.io',
    claims: {
      full_name: 'Ada Lovelace',
      custom_claims: {
        resource_owner_id: 'owner',
        organizations: [{ id: 'org', role: 'admin' }],
        application: { uid: 'app' },
        scope: ['read'],
        created_at: 1_700_000_000,
      },
    },
    emails: 'always verified',
  },
  github: {
    authorization: 'https://github.com/login/oauth/authorize',
    scope: 'user:email',
    usesCodeVerifier: true,
    subject: '583231',
    iss: 'https://api.github.com',
    issBelowBase: '/api/v3',
    claims: { ...named, preferred_username: 'ada', user_name: 'ada', avatar_url: picture },
  },
  gitlab: {
    authorization: 'https://gitlab.com/oauth/authorize',
    scope: 'read_user',
    usesCodeVerifier: true,
    subject: '42',
    iss: 'https://gitlab.com',
    claims: { ...named, ...pictured },
  },
  google: {
    authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
    scope: 'email profile',
    usesCodeVerifier: true,
    usesNonce: true,
    subject: '1090',
    iss: 'https://accounts.google.com',
    issBelowBase: null,
    claims: { ...named, ...pictured, custom_claims: { hd: 'example.com' } },
  },
  kakao: {
    authorization: 'https://kauth.kakao.com/oauth/authorize',
    scope: 'account_email profile_image profile_nickname',
    usesNonce: true,
    subject: '123456789',
    iss: 'https://kapi.kakao.com',
    claims: {
      name: 'Ada',
      full_name: 'Ada',
      preferred_username: 'Ada',
      user_name: 'Ada',
      avatar_url: picture,
    },
  },
  keycloak: {
    authorization: 'https://id.example/realms/app/protocol/openid-connect/auth',
    scope: 'profile email',
    usesCodeVerifier: true,
    usesNonce: true,
    subject: 'kc-1',
    iss: '',
    claims: { ...named, custom_claims: { groups: ['engineers'] } },
  },
  linkedin: {
    authorization: 'https://api.linkedin.com/oauth/v2/authorization',
    scope: 'r_emailaddress r_liteprofile',
    subject: 'li-1',
    iss: 'https://api.linkedin.com',
    claims: { ...named, ...pictured },
    emails: 'always verified',
  },
  linkedin_oidc: {
    authorization: 'https://api.linkedin.com/oauth/v2/authorization',
    scope: 'openid email profile',
    subject: 'li-2',
    iss: 'https://www.linkedin.com/oauth',
    issBelowBase: 'https://www.linkedin.com/oauth',
    claims: {
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      locale: 'en_US',
      picture,
    },
  },
  notion: {
    authorization: 'https://api.notion.com/v1/oauth/authorize',
    scope: null,
    subject: 'notion-1',
    iss: 'https://api.notion.com',
    claims: { ...named, ...pictured },
    emails: 'always verified',
  },
  slack: {
    authorization: 'https://slack.com/oauth/authorize',
    scope: 'profile email openid',
    subject: 'U1',
    iss: 'https://slack.com/api',
    issBelowBase: '/api',
    claims: { ...named, ...pictured, custom_claims: { 'https://slack.com/team_id': 'T1' } },
    emails: 'never verified',
  },
  slack_oidc: {
    authorization: 'https://slack.com/openid/connect/authorize',
    scope: 'profile email openid',
    subject: 'U1',
    iss: 'https://slack.com/api',
    issBelowBase: '/api',
    claims: { ...named, ...pictured, custom_claims: { 'https://slack.com/team_id': 'T1' } },
    emails: 'never verified',
  },
  snapchat: {
    authorization: 'https://accounts.snapchat.com/accounts/oauth2/auth',
    scope: [
      'https://auth.snapchat.com/oauth2/api/user.external_id',
      'https://auth.snapchat.com/oauth2/api/user.display_name',
      'https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar',
    ].join(' '),
    usesNonce: true,
    subject: 'CAESI/snap',
    iss: 'https://accounts.snapchat.com/accounts/oauth2/token',
    issBelowBase: 'https://accounts.snapchat.com/accounts/oauth2/token',
    claims: { name: 'Ada', full_name: 'Ada', slug: 'Ada', ...pictured },
    emails: 'always verified',
  },
  spotify: {
    authorization: 'https://accounts.spotify.com/authorize',
    scope: 'user-read-email',
    usesCodeVerifier: true,
    subject: 'ada',
    iss: 'https://api.spotify.com/v1',
    claims: { ...named, ...pictured },
    emails: 'never verified',
  },
  twitch: {
    authorization: 'https://id.twitch.tv/oauth2/authorize',
    scope: 'user:read:email',
    subject: '141981764',
    iss: 'https://api.twitch.tv',
    claims: {
      name: 'ada',
      full_name: 'ada',
      nickname: 'Ada',
      slug: 'Ada',
      ...pictured,
      custom_claims: {
        broadcaster_type: 'partner',
        description: 'Numbers',
        type: '',
        offline_image_url: '',
        view_count: 12,
      },
    },
    emails: 'always verified',
  },
  twitter: {
    authorization: 'https://api.twitter.com/oauth/authenticate',
    scope: null,
    subject: '1234567890123456789',
    iss: 'https://api.twitter.com/1.1/account/verify_credentials.json',
    issBelowBase: '/1.1/account/verify_credentials.json',
    claims: { ...named, preferred_username: 'ada', user_name: 'ada', ...pictured },
    emails: 'always verified',
  },
  vercel_marketplace: {
    authorization: 'https://api.vercel.com/oauth/v2/authorization',
    scope: null,
    usesNonce: true,
    subject: 'global_user_id:g1',
    iss: 'https://marketplace.vercel.com',
    issBelowBase: 'https://marketplace.vercel.com',
    claims: { name: 'Ada Lovelace', picture },
    emails: 'never verified',
  },
  workos: {
    authorization: 'https://api.workos.com/sso/authorize',
    scope: null,
    subject: 'prof_1',
    iss: 'https://api.workos.com',
    claims: { ...named, custom_claims: { connection_id: 'conn_1', organization_id: 'org_1' } },
    emails: 'never verified',
  },
  x: {
    authorization: 'https://x.com/i/oauth2/authorize',
    scope: 'users.email tweet.read users.read offline.access',
    usesCodeVerifier: true,
    subject: '2244994945',
    iss: 'https://api.x.com',
    claims: {
      ...named,
      preferred_username: 'ada',
      user_name: 'ada',
      ...pictured,
      profile: 'https://x.com/ada',
      website: 'https://ada.example',
      custom_claims: { created_at: '2013-12-14T04:35:55.000Z' },
    },
    emails: 'always verified',
  },
  zoom: {
    authorization: 'https://zoom.us/oauth/authorize',
    scope: null,
    usesCodeVerifier: true,
    subject: 'KDcuGIm1QgePTO8WbOqwIQ',
    iss: 'https://api.zoom.us/v2',
    issBelowBase: '/v2',
    claims: { ...named, ...pictured },
  },
}

/** The display names of external providers, by their name on the wire and in the environment. */
export const providerLabels = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  facebook: 'Facebook',
  figma: 'Figma',
  fly: 'Fly.io',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  kakao: 'Kakao',
  keycloak: 'Keycloak',
  linkedin: 'LinkedIn',
  linkedin_oidc: 'LinkedIn',
  notion: 'Notion',
  slack: 'Slack',
  slack_oidc: 'Slack',
  snapchat: 'Snapchat',
  spotify: 'Spotify',
  twitch: 'Twitch',
  twitter: 'X',
  vercel_marketplace: 'Vercel Marketplace',
  workos: 'WorkOS',
  x: 'X',
  zoom: 'Zoom',
} as const

export type ProviderName = keyof typeof providerLabels

/** The names of external providers. */
export const providerNames = Object.keys(providerLabels) as ProviderName[]

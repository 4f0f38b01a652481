import type { ProviderName } from '../../platform/config/provider-names.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import type { BindProvider } from './bind-provider.ts'

/** The built-in providers. Each is loaded at its first use. */
export const builtInProviders: Record<
  ProviderName,
  () => Promise<ProviderDefinition | BindProvider>
> = {
  apple: async () => (await import('./apple.ts')).apple,
  azure: async () => (await import('./azure.ts')).azure,
  bitbucket: async () => (await import('./bitbucket.ts')).bitbucket,
  discord: async () => (await import('./discord.ts')).discord,
  facebook: async () => (await import('./facebook.ts')).facebook,
  figma: async () => (await import('./figma.ts')).figma,
  fly: async () => (await import('./fly.ts')).fly,
  github: async () => (await import('./github.ts')).github,
  gitlab: async () => (await import('./gitlab.ts')).gitlab,
  google: async () => (await import('./google.ts')).google,
  kakao: async () => (await import('./kakao.ts')).kakao,
  keycloak: async () => (await import('./keycloak.ts')).keycloak,
  linkedin: async () => (await import('./linkedin.ts')).linkedin,
  linkedin_oidc: async () => (await import('./linkedin.ts')).linkedinOidc,
  notion: async () => (await import('./notion.ts')).notion,
  slack: async () => (await import('./slack.ts')).slack,
  slack_oidc: async () => (await import('./slack.ts')).slackOidc,
  snapchat: async () => (await import('./snapchat.ts')).snapchat,
  spotify: async () => (await import('./spotify.ts')).spotify,
  twitch: async () => (await import('./twitch.ts')).twitch,
  twitter: async () => (await import('./twitter.ts')).twitter,
  vercel_marketplace: async () => (await import('./vercel-marketplace.ts')).vercelMarketplace,
  workos: async () => (await import('./workos.ts')).workos,
  x: async () => (await import('./x.ts')).x,
  zoom: async () => (await import('./zoom.ts')).zoom,
}

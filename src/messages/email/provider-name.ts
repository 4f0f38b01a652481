/** Names that are more than the provider's own in lower case. */
const displayNames = new Map([
  ['azure', 'Microsoft'],
  ['fly', 'Fly.io'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['linkedin', 'LinkedIn'],
  ['linkedin_oidc', 'LinkedIn'],
  ['slack_oidc', 'Slack'],
  ['workos', 'WorkOS'],
])

/** What people call a provider; capitalised where we know no better. */
export const providerName = (provider: string): string =>
  displayNames.get(provider) ?? provider.slice(0, 1).toUpperCase() + provider.slice(1)

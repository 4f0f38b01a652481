/** Returns the fields of an OAuth 2.0 provider at a public address, which is never requested. */
export const customProvider = (identifier: string, changes: object = {}) => ({
  provider_type: 'oauth2',
  identifier,
  name: 'Club',
  client_id: 'club-client',
  client_secret: 'club-secret',
  authorization_url: 'https://93.184.216.34/authorize',
  token_url: 'https://93.184.216.34/token',
  userinfo_url: 'https://93.184.216.34/me',
  ...changes,
})

/** Areas that Latchkey does not implement, with their content. Their cases are not run. */
export const areasNotBuilt: Record<string, string> = {
  scim: 'SCIM',
  sso: 'single sign-on by SAML',
}

/** Cases that contradict the requirements, by `area/name`, with the reason. Each must fail. */
export const contradictedCases: Record<string, string> = {
  'id-token/an ID token opens a session':
    'it submits a token without a nonce twice; such a token is accepted once (docs/security.md, S04)',
  'id-token/the second client id is accepted too':
    'a token with several audiences and no azp may have been issued to another client (docs/security.md, S04)',
  'providers/profile of slack_oidc':
    'Slack does not prove the address, so the first sign-in requires its confirmation (docs/providers.md)',
  'providers/profile of workos':
    'WorkOS proves addresses only in domains that are bound to the organization (docs/providers.md)',
}

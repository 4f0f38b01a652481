import type { Endpoint } from '../http/endpoint.ts'
import { anyone } from '../http/guards.ts'

const refused = { guards: [anyone], answers: {}, errors: ['saml_provider_disabled'] } as const

export const beginSingleSignOnEndpoint = {
  ...refused,
  method: 'POST',
  path: '/sso',
  summary: 'Starts a sign-in by SAML 2.0. Without SAML, reports that it is disabled.',
} as const satisfies Endpoint

export const samlMetadataEndpoint = {
  ...refused,
  method: 'GET',
  path: '/sso/saml/metadata',
  summary:
    'Returns the metadata of the SAML service provider. Without SAML, reports that it is disabled.',
} as const satisfies Endpoint

export const samlAssertionEndpoint = {
  ...refused,
  method: 'POST',
  path: '/sso/saml/acs',
  summary: 'Receives SAML assertions. Without SAML, rejects them and reports that it is disabled.',
} as const satisfies Endpoint

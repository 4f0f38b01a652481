import type { Endpoint } from '../http/endpoint.ts'
import { anyone } from '../http/guards.ts'

const refused = { guards: [anyone], answers: {}, errors: ['saml_provider_disabled'] } as const

export const beginSingleSignOnEndpoint = {
  ...refused,
  method: 'POST',
  path: '/sso',
  summary: 'Is for sign-ins of organisations, by SAML 2.0; without it, says that it is disabled.',
} as const satisfies Endpoint

export const samlMetadataEndpoint = {
  ...refused,
  method: 'GET',
  path: '/sso/saml/metadata',
  summary: 'Is for what organisations are told of us; without SAML, says that it is disabled.',
} as const satisfies Endpoint

export const samlAssertionEndpoint = {
  ...refused,
  method: 'POST',
  path: '/sso/saml/acs',
  summary:
    'Is for assertions of organisations; without SAML, takes none and says that it is disabled.',
} as const satisfies Endpoint

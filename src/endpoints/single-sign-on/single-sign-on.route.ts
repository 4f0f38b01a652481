import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { anyone } from '../http/guards.ts'
import { implementUnguarded } from '../http/implement.ts'

const refused = { guards: [anyone], answers: {}, errors: ['saml_provider_disabled'] } as const

const beginSingleSignOnEndpoint = {
  ...refused,
  method: 'POST',
  path: '/sso',
  summary: 'Starts a sign-in by SAML 2.0. Without SAML, reports that it is disabled.',
} as const satisfies Endpoint

const samlMetadataEndpoint = {
  ...refused,
  method: 'GET',
  path: '/sso/saml/metadata',
  summary:
    'Returns the metadata of the SAML service provider. Without SAML, reports that it is disabled.',
} as const satisfies Endpoint

const samlAssertionEndpoint = {
  ...refused,
  method: 'POST',
  path: '/sso/saml/acs',
  summary: 'Receives SAML assertions. Without SAML, rejects them and reports that it is disabled.',
} as const satisfies Endpoint

/**
 * The endpoints of SAML, which this version does not have. Each returns the code that clients
 * expect, and reads no body.
 */
export const singleSignOnRoutes = [
  implementUnguarded(beginSingleSignOnEndpoint, () => rejectSaml),
  implementUnguarded(samlMetadataEndpoint, () => rejectSaml),
  implementUnguarded(samlAssertionEndpoint, () => rejectSaml),
] as const

function rejectSaml(): never {
  throw new AuthError('saml_provider_disabled', 404, 'SAML 2.0 is disabled')
}

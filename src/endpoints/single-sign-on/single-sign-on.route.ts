import { AuthError } from '../../platform/errors/auth-error.ts'
import { implementUnguarded } from '../http/implement.ts'
import {
  beginSingleSignOnEndpoint,
  samlAssertionEndpoint,
  samlMetadataEndpoint,
} from './single-sign-on.endpoint.ts'

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

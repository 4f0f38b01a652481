import type { H3 } from 'h3'
import { AuthError } from '../../errors/auth-error.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import {
  beginSingleSignOnEndpoint,
  samlAssertionEndpoint,
  samlMetadataEndpoint,
} from './single-sign-on.endpoint.ts'

/**
 * The endpoints of SAML, which this version does not have: a client that asks is told so by the code that it knows, and nothing
 * of what it sends is read.
 */
export function singleSignOnRoutes(app: H3): void {
  for (const endpoint of [beginSingleSignOnEndpoint, samlMetadataEndpoint, samlAssertionEndpoint]) {
    serveEndpoint(app, endpoint, () => {
      throw new AuthError('saml_provider_disabled', 404, 'SAML 2.0 is disabled')
    })
  }
}

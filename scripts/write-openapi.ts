/** Generates docs/openapi.json from the descriptions of the endpoints: `npm run docs`. */

import { openApiDocument } from '../src/endpoints/http/openapi-document.ts'
import { version } from '../src/platform/kit/version.ts'
import { capabilityPages } from '../src/service/capabilities.ts'
import { endpoints } from '../src/service/endpoints.ts'

export const renderOpenApi = (): string =>
  `${JSON.stringify(openApiDocument(endpoints, { version, basePath: '', pages: capabilityPages }), null, 2)}\n`

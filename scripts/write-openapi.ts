/** Makes docs/openapi.json of the descriptions of the endpoints: `npm run docs`. */

import { endpoints } from '../src/endpoints.ts'
import { openApiDocument } from '../src/http/openapi-document.ts'
import { version } from '../src/kit/version.ts'

export const renderOpenApi = (): string =>
  `${JSON.stringify(openApiDocument(endpoints, { version, basePath: '' }), null, 2)}\n`

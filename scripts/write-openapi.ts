/** Writes docs/openapi.json from the descriptions of the endpoints: `npm run docs`. */

import { writeFileSync } from 'node:fs'
import { endpoints } from '../src/endpoints.ts'
import { openApiDocument } from '../src/http/openapi-document.ts'
import { version } from '../src/kit/version.ts'

export const openApiFile = new URL('../docs/openapi.json', import.meta.url)

export const renderOpenApi = (): string =>
  `${JSON.stringify(openApiDocument(endpoints, { version, basePath: '' }), null, 2)}\n`

if (import.meta.main) writeFileSync(openApiFile, renderOpenApi())

/** Writes the pages of the documentation that are made from the sources: `npm run docs`. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderCommands } from './write-commands.ts'
import { renderConfigurationDocs } from './write-configuration-docs.ts'
import { renderEndpoints } from './write-endpoints.ts'
import { renderErrors } from './write-errors.ts'
import { renderLlms } from './write-llms.ts'
import { renderOpenApi } from './write-openapi.ts'

/** What each file in docs/ is made by. llms.txt comes last: it reads the other pages. */
export const generatedDocs: Readonly<Record<string, () => string>> = {
  'configuration.md': renderConfigurationDocs,
  'openapi.json': renderOpenApi,
  'endpoints.md': renderEndpoints,
  'errors.md': renderErrors,
  'commands.md': renderCommands,
  'llms.txt': renderLlms,
}

if (import.meta.main) {
  for (const [file, render] of Object.entries(generatedDocs)) {
    writeFileSync(join(import.meta.dirname, '../docs', file), render())
  }
}

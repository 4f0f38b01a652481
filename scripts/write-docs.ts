/**
 * Writes the documentation and the parts of sources that are derived from others: `npm run docs`.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withAssumptions } from './givens.ts'
import { pageWithRegions } from './regions.ts'
import { renderApi } from './write-api.ts'
import { generatedSources } from './write-api-comments.ts'
import { renderAudit } from './write-audit.ts'
import { renderBounds } from './write-bounds.ts'
import { renderCaptcha } from './write-captcha.ts'
import { renderCommands } from './write-commands.ts'
import { renderConfigurationDocs } from './write-configuration-docs.ts'
import { renderEndpoints } from './write-endpoints.ts'
import { renderErrors } from './write-errors.ts'
import { renderLimits } from './write-limits.ts'
import { renderLlms } from './write-llms.ts'
import { renderMail } from './write-mail.ts'
import { renderOpenApi } from './write-openapi.ts'
import { renderIndex, renderOperations } from './write-operations.ts'
import { renderPageTexts } from './write-page-texts.ts'
import { renderTelemetry } from './write-telemetry.ts'

const docs = join(import.meta.dirname, '../docs')

/** The generator of each generated file. llms.txt is last, since it reads the other pages. */
const generators: Readonly<Record<string, () => string>> = {
  'configuration.md': renderConfigurationDocs,
  'api.md': renderApi,
  'openapi.json': renderOpenApi,
  'endpoints.md': renderEndpoints,
  'errors.md': renderErrors,
  'commands.md': renderCommands,
  'audit.md': renderAudit,
  'captcha.md': renderCaptcha,
  'index.md': renderIndex,
  'limits.md': renderLimits,
  'mail.md': renderMail,
  'operations.md': renderOperations,
  'page-texts.md': renderPageTexts,
  'row-level-security.md': () => pageWithRegions('row-level-security.md'),
  'security.md': renderBounds,
  'telemetry.md': renderTelemetry,
  'llms.txt': renderLlms,
}

/** Pages that are written by hand, except for the lines that name what their blocks assume. */
const handWritten = readdirSync(docs)
  .filter((file) => file.endsWith('.md') && !(file in generators))
  .map((file) => [file, () => readFileSync(join(docs, file), 'utf8')] as const)

/** The generator of each file in docs/. */
export const generatedDocs: Readonly<Record<string, () => string>> = Object.fromEntries(
  [...handWritten, ...Object.entries(generators)].map(([file, render]) => [
    file,
    file.endsWith('.md') ? () => withAssumptions(render()) : render,
  ]),
)

if (import.meta.main) {
  for (const [file, render] of Object.entries(generatedDocs)) {
    writeFileSync(join(docs, file), render())
  }
  for (const [file, render] of Object.entries(generatedSources)) {
    writeFileSync(join(import.meta.dirname, '../src', file), render())
  }
}

/** Writes the table of texts into docs/page-texts.md: `npm run docs`. */

import { en } from '../src/capabilities/pages/texts/en.ts'
import { code, pageWithTable, renderTable } from './page-table.ts'

export const renderPageTexts = (): string =>
  pageWithTable(
    'page-texts.md',
    'write-page-texts.ts',
    renderTable(
      ['Key', 'English'],
      Object.entries(en).map(([key, text]) => [code(key), code(text)]),
    ),
  )

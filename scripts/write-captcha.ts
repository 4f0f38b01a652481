/** Writes the list of endpoints into docs/captcha.md: `npm run docs`. */

import { guardsOf } from '../src/endpoints/http/guards.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { pageWithTable } from './page-table.ts'
import { headingOf, linkToHeading } from './write-endpoints.ts'

export function renderCaptcha(): string {
  const headings = endpoints.filter((endpoint) => guardsOf(endpoint).captcha).map(headingOf)
  const list = [...new Set(headings)].map(linkToHeading)
  const ofPages = '`POST /sessions` of [subscription pages](subscribe-pages.md)'
  return pageWithTable(
    'captcha.md',
    'write-captcha.ts',
    [...list, ofPages].map((item) => `- ${item}`).join('\n'),
  )
}

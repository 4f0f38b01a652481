import { unknownTexts } from '../../capabilities/pages/texts/texts.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Finding, warning } from '../../service/doctor/finding.ts'

/** Checks that the pages have each text that the configuration replaces. Others have no effect. */
export const checkPageTexts = ({ pages }: Pick<Config, 'pages'>): Finding[] =>
  unknownTexts(pages.texts).map((key) =>
    warning('pages', `pages.texts contains an unknown language or key: ${key}`, remedy),
  )

const remedy = 'docs/page-texts.md lists the keys'

import { unknownTexts } from '../../capabilities/pages/texts/texts.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Finding, warning } from '../../service/doctor/finding.ts'

/** Checks that the texts that replace those of the pages exist: others have no effect. */
export const checkPageTexts = ({ pages }: Pick<Config, 'pages'>): Finding[] =>
  unknownTexts(pages.texts).map((key) =>
    warning('pages', `pages.texts contains an unknown language or key: ${key}`, remedy),
  )

const remedy = 'docs/page-texts.md lists the keys'

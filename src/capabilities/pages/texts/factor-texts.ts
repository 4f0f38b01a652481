import {
  type ChallengedFactorType,
  challengedFactorTypes,
  factorKinds,
} from '../../../platform/factor-kinds/factor-kinds.ts'
import type { Language } from '../../../platform/kit/languages.ts'

type FactorTextKey = `factor.${'' | 'lead.'}${ChallengedFactorType}`

/** Returns the texts of the kinds of second factor under the keys of pages. */
export const factorTexts = (language: Language): Record<FactorTextKey, string> =>
  Object.fromEntries(
    challengedFactorTypes.flatMap((type) => {
      const { name, lead } = factorKinds[type].pageTexts[language]
      return [
        [`factor.${type}`, name],
        [`factor.lead.${type}`, lead],
      ]
    }),
  ) as Record<FactorTextKey, string>

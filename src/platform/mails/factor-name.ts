import { challengedFactorTypes, factorKinds } from '../factor-kinds/factor-kinds.ts'
import type { Language } from '../kit/languages.ts'

const recoveryCodes: Readonly<Record<Language, string>> = {
  en: 'recovery codes',
  de: 'Wiederherstellungscodes',
  fr: 'codes de récupération',
}

function named(language: Language): string {
  const names = [
    ...challengedFactorTypes.map((type) => [type, factorKinds[type].names[language]] as const),
    ['recovery_code', recoveryCodes[language]] as const,
  ]
  const cases = names.map(([type, name]) => `if eq .FactorType "${type}" }}${name}{{ else `)
  return `{{ ${cases.join('')}}}{{ .FactorType }}{{ end }}`
}

/** The name of a factor's kind, to follow a colon. */
export const factorName: Readonly<Record<Language, string>> = {
  en: named('en'),
  de: named('de'),
  fr: named('fr'),
}

import type { Language } from '../kit/languages.ts'

/** The names of sign-in methods without a provider, by the id in identities. */
const names: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  phone: {
    en: 'a code sent to your phone',
    de: 'einem an Ihr Telefon gesendeten Code',
    fr: 'un code envoyé sur votre téléphone',
  },
  email: { en: 'your email address', de: 'Ihrer E-Mail-Adresse', fr: 'votre adresse e-mail' },
  web3: { en: 'your wallet', de: 'Ihrer Wallet', fr: 'votre portefeuille' },
}

function named(language: Language): string {
  const cases = Object.entries(names).map(
    ([id, name]) => `if eq .Provider "${id}" }}${name[language]}{{ else `,
  )
  return `{{ ${cases.join('')}}}{{ .ProviderName }}{{ end }}`
}

/**
 * The part of a template that prints the name of an identity's sign-in method, in a form that
 * follows "with", "mit" and "avec".
 */
export const signInMethodName: Readonly<Record<Language, string>> = {
  en: named('en'),
  de: named('de'),
  fr: named('fr'),
}

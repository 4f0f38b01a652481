import type { Language } from '../../../platform/kit/languages.ts'

/** The texts of the page that confirms the linking of an identity, in one language. */
export interface ConfirmLinkingTexts {
  direction: 'ltr' | 'rtl'
  heading(provider: string): string
  /** The label of the account at the provider. */
  providerAccount(provider: string): string
  /** The label of the account that the identity would be linked to. */
  ownAccount(site: string): string
  /** The name of an anonymous account. */
  anonymous: string
  /** The name of an account without a confirmed address. */
  unnamed: string
  effect(provider: string, site: string): string
  warning(site: string): string
  link: string
  cancel: string
}

const en: ConfirmLinkingTexts = {
  direction: 'ltr',
  heading: (provider) => `Link your ${provider} account?`,
  providerAccount: (provider) => `Your ${provider} account`,
  ownAccount: (site) => `Will be linked to this ${site} account`,
  anonymous: 'A guest account',
  unnamed: 'An account without a confirmed address',
  effect: (provider, site) =>
    `You can then sign in to this ${site} account with your ${provider} account.`,
  warning: (site) =>
    `Continue only if you started this yourself and the ${site} account is yours. Otherwise, cancel.`,
  link: 'Link accounts',
  cancel: 'Cancel',
}

const de: ConfirmLinkingTexts = {
  direction: 'ltr',
  heading: (provider) => `Ihr Konto bei ${provider} verknüpfen?`,
  providerAccount: (provider) => `Ihr Konto bei ${provider}`,
  ownAccount: (site) => `Wird mit diesem Konto bei ${site} verknüpft`,
  anonymous: 'Ein Gastkonto',
  unnamed: 'Ein Konto ohne bestätigte Adresse',
  effect: (provider, site) =>
    `Danach können Sie sich mit Ihrem Konto bei ${provider} in diesem Konto bei ${site} anmelden.`,
  warning: (site) =>
    `Fahren Sie nur fort, wenn Sie dies selbst begonnen haben und das Konto bei ${site} Ihnen gehört. Brechen Sie sonst ab.`,
  link: 'Konten verknüpfen',
  cancel: 'Abbrechen',
}

const fr: ConfirmLinkingTexts = {
  direction: 'ltr',
  heading: (provider) => `Associer votre compte ${provider}\u00a0?`,
  providerAccount: (provider) => `Votre compte ${provider}`,
  ownAccount: (site) => `Sera associé à ce compte ${site}`,
  anonymous: 'Un compte invité',
  unnamed: 'Un compte sans adresse confirmée',
  effect: (provider, site) =>
    `Votre compte ${provider} permettra ensuite de se connecter à ce compte ${site}.`,
  warning: (site) =>
    `Continuez uniquement si vous avez lancé cette opération vous-même et si le compte ${site} est le vôtre. Sinon, annulez.`,
  link: 'Associer les comptes',
  cancel: 'Annuler',
}

export const confirmLinkingTexts: Readonly<Record<Language, ConfirmLinkingTexts>> = { en, de, fr }

import type { Language } from '../../../platform/kit/languages.ts'
import type { ActionLinkType } from '../../../platform/mails/mail-definition.ts'

interface Purpose {
  heading: string
  button: string
}

/** The texts of the page in one language. */
export interface ConfirmLinkTexts {
  direction: 'ltr' | 'rtl'
  /** The texts by the type of the link. */
  purposes: Readonly<Record<ActionLinkType, Purpose>>
  /** The texts for a link of any other type. */
  otherwise: Purpose
  /** The reason for the button. */
  message: string
  /** The advice for a link that was not requested. */
  closing: string
}

const en: ConfirmLinkTexts = {
  direction: 'ltr',
  purposes: {
    signup: { heading: 'Confirm your email address', button: 'Confirm email address' },
    invite: { heading: 'You have been invited', button: 'Accept invitation' },
    magiclink: { heading: 'Sign in', button: 'Sign in' },
    recovery: { heading: 'Reset your password', button: 'Continue' },
    email_change: { heading: 'Confirm the change of your email address', button: 'Confirm change' },
    credential: { heading: 'Confirm a sign\u2011in method', button: 'Confirm sign-in method' },
  },
  otherwise: { heading: 'One last step', button: 'Continue' },
  message: 'Select the button to continue. This confirms that you opened the link yourself.',
  closing: 'If you did not expect this, close this page. Nothing will change.',
}

const de: ConfirmLinkTexts = {
  direction: 'ltr',
  purposes: {
    signup: {
      heading: 'Bestätigen Sie Ihre E-Mail-Adresse',
      button: 'E-Mail-Adresse bestätigen',
    },
    invite: { heading: 'Sie wurden eingeladen', button: 'Einladung annehmen' },
    magiclink: { heading: 'Anmelden', button: 'Anmelden' },
    recovery: { heading: 'Setzen Sie Ihr Passwort zurück', button: 'Weiter' },
    email_change: {
      heading: 'Bestätigen Sie die Änderung Ihrer E\u2011Mail-Adresse',
      button: 'Änderung bestätigen',
    },
    credential: {
      heading: 'Bestätigen Sie eine Anmeldemethode',
      button: 'Anmeldemethode bestätigen',
    },
  },
  otherwise: { heading: 'Ein letzter Schritt', button: 'Weiter' },
  message: 'Bestätigen Sie mit der Schaltfläche, dass Sie den Link selbst geöffnet haben.',
  closing:
    'Wenn Sie das nicht erwartet haben, schließen Sie diese Seite. Es ändert sich dann nichts.',
}

const fr: ConfirmLinkTexts = {
  direction: 'ltr',
  purposes: {
    signup: {
      heading: 'Confirmez votre adresse e-mail',
      button: 'Confirmer l’adresse e-mail',
    },
    invite: { heading: 'Vous avez reçu une invitation', button: 'Accepter l’invitation' },
    magiclink: { heading: 'Connexion', button: 'Se connecter' },
    recovery: { heading: 'Réinitialisez votre mot de passe', button: 'Continuer' },
    email_change: {
      heading: 'Confirmez la modification de votre adresse e-mail',
      button: 'Confirmer la modification',
    },
    credential: { heading: 'Confirmez une méthode de connexion', button: 'Confirmer la méthode' },
  },
  otherwise: { heading: 'Dernière étape', button: 'Continuer' },
  message:
    'Appuyez sur le bouton pour continuer. Nous savons ainsi que vous avez ouvert le lien vous-même.',
  closing: 'Si vous ne vous y attendiez pas, fermez cette page. Rien ne changera.',
}

export const confirmLinkTexts: Readonly<Record<Language, ConfirmLinkTexts>> = { en, de, fr }

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

const enLinking: ConfirmLinkingTexts = {
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

const deLinking: ConfirmLinkingTexts = {
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

const frLinking: ConfirmLinkingTexts = {
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

export const confirmLinkingTexts: Readonly<Record<Language, ConfirmLinkingTexts>> = {
  en: enLinking,
  de: deLinking,
  fr: frLinking,
}

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

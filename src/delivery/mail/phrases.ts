import type { Language } from '../../platform/kit/languages.ts'

/** Texts common to all mails. */
export interface Phrases {
  direction: 'ltr' | 'rtl'
  /** Before the code, in mails that also have a link. */
  orEnterCode: string
  /** Before the code, in mails without a link. */
  enterCode: string
  /** Before the full link. */
  orOpenLink: string
  sentTo: string
}

export const phrases: Readonly<Record<Language, Phrases>> = {
  en: {
    direction: 'ltr',
    orEnterCode: 'Or enter this code:',
    enterCode: 'Your code:',
    orOpenLink: 'If the button does not work, open this link in your browser:',
    sentTo: 'Sent to {{ .Recipient }} on behalf of {{ .SiteName }}.',
  },
  de: {
    direction: 'ltr',
    orEnterCode: 'Oder geben Sie diesen Code ein:',
    enterCode: 'Ihr Code:',
    orOpenLink: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diesen Link im Browser:',
    sentTo: 'Gesendet an {{ .Recipient }} im Auftrag von {{ .SiteName }}.',
  },
  fr: {
    direction: 'ltr',
    orEnterCode: 'Ou saisissez ce code\u00a0:',
    enterCode: 'Votre code\u00a0:',
    orOpenLink: 'Si le bouton ne fonctionne pas, ouvrez ce lien dans votre navigateur\u00a0:',
    sentTo: 'Envoyé à {{ .Recipient }} pour le compte de {{ .SiteName }}.',
  },
}

import type { Language } from '../../platform/kit/languages.ts'
import type { MailText } from '../../platform/mails/mail-definition.ts'

/**
 * Returns the page of a built-in mail, as a template. Mail clients support tables and inline
 * styles; the style sheet adds what some support in addition: dark colours and narrow screens.
 *
 * No colour has six decimal digits, so that a search for the code finds nothing else.
 */
export function pageLayout(
  language: Language,
  { button, ...texts }: MailText,
  own: OwnPhrases = {},
): string {
  const [heading, message, closing] = [texts.heading, texts.message, texts.closing].map(placeBreaks)
  const { direction } = phrases[language]
  const { sentTo, ...inRequest } = { ...phrases[language], ...own }
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="x-apple-disable-message-reformatting">
<title>${heading}</title>
<style>${mailStyles}</style>
</head>
<body class="page" style="${styles.page}">
<div style="${styles.preview}">${message}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="page" style="${styles.canvas}">
<tr><td align="center" class="margin" style="${styles.margin}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="${styles.column}">
<tr><td class="site" style="${styles.site}">{{ .SiteName }}</td></tr>
<tr><td class="card" style="${styles.card}">
<h1 class="strong" style="${styles.heading}">${heading}</h1>
<p class="normal" style="${styles.paragraph}">${message}</p>
${requestText(button, inRequest)}<p class="quiet" style="${styles.closing}">${closing}</p>
</td></tr>
<tr><td class="quiet" style="${styles.footer}">${sentTo}<br><a class="quiet" style="${styles.footerLink}" href="{{ .SiteURL }}">{{ .SiteURL }}</a></td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

/**
 * Prevents a line break between "E-" and "Mail", and permits one in a word that is wider than a
 * phone's heading.
 */
const placeBreaks = (text: string): string =>
  text.replace(/\b(e)-(mail)/gi, '$1\u2011$2').replace(/(Wiederherstellungs)(code)/g, '$1\u00ad$2')

/** Returns the button, the code for other devices, and the link for clients without buttons. */
function requestText(
  button: string | undefined,
  { orEnterCode, orOpenLink }: Pick<Phrases, 'orEnterCode' | 'orOpenLink'>,
): string {
  if (button === undefined) return `{{ if .Token }}\n${code}\n{{ end }}`
  return `{{ if .ConfirmationURL }}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" class="wide" style="${styles.buttonTable}">
<tr><td align="center" class="button" style="${styles.button}"><a class="button" style="${styles.buttonLink}" href="{{ .ConfirmationURL }}">${button}</a></td></tr>
</table>
{{ end }}{{ if .Token }}
<p class="normal" style="${styles.label}">${orEnterCode}</p>
${code}
{{ end }}{{ if .ConfirmationURL }}
<p class="quiet" style="${styles.small}">${orOpenLink}<br><a class="link" style="${styles.link}" href="{{ .ConfirmationURL }}">{{ .ConfirmationURL }}</a></p>
{{ end }}`
}

/** Returns the plain text of the same mail, as a template. */
export function textLayout(language: Language, text: MailText, own: OwnPhrases = {}): string {
  const { colon, orEnterCode, enterCode, sentTo } = { ...phrases[language], ...own }
  const link = `{{ if .ConfirmationURL }}${text.button}${colon}
{{ .ConfirmationURL }}

{{ end }}`
  const label = text.button === undefined ? enterCode : orEnterCode
  return `${text.heading}

${text.message}

${text.button === undefined ? '' : link}{{ if .Token }}${label} {{ .Token }}

{{ end }}${text.closing}

-- 
${sentTo}
{{ .SiteURL }}
`
}

/** Texts common to all mails. */
interface Phrases {
  direction: 'ltr' | 'rtl'
  /** After a label; French has a space before it. */
  colon: string
  /** Before the code, in mails that also have a link. */
  orEnterCode: string
  /** Before the code, in mails without a link. */
  enterCode: string
  /** Before the full link. */
  orOpenLink: string
  sentTo: string
}

/** The phrases that an application replaces. */
export type OwnPhrases = Partial<Omit<Phrases, 'direction' | 'colon'>>

/** The names of the phrases that an application may replace. */
export const replaceablePhrases = ['orEnterCode', 'enterCode', 'orOpenLink', 'sentTo'] as const

const phrases: Readonly<Record<Language, Phrases>> = {
  en: {
    direction: 'ltr',
    colon: ':',
    orEnterCode: 'Or enter this code:',
    enterCode: 'Your code:',
    orOpenLink: 'If the button does not work, open this link in your browser:',
    sentTo: 'Sent to {{ .Recipient }} on behalf of {{ .SiteName }}.',
  },
  de: {
    direction: 'ltr',
    colon: ':',
    orEnterCode: 'Oder geben Sie diesen Code ein:',
    enterCode: 'Ihr Code:',
    orOpenLink: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diesen Link im Browser:',
    sentTo: 'Gesendet an {{ .Recipient }} im Auftrag von {{ .SiteName }}.',
  },
  fr: {
    direction: 'ltr',
    colon: '\u00a0:',
    orEnterCode: 'Ou saisissez ce code\u00a0:',
    enterCode: 'Votre code\u00a0:',
    orOpenLink: 'Si le bouton ne fonctionne pas, ouvrez ce lien dans votre navigateur\u00a0:',
    sentTo: 'Envoyé par {{ .SiteName }} à {{ .Recipient }}.',
  },
}

const font =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Inline styles, which every client supports. Light colours are the default. */
const styles = {
  page: 'margin:0;padding:0;background-color:#f2f4f7;-webkit-text-size-adjust:100%',
  canvas: 'background-color:#f2f4f7',
  /** The preview text that an inbox shows with the subject. */
  preview:
    'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all',
  margin: 'padding:40px 16px',
  column: 'max-width:520px;margin:0 auto;text-align:start',
  site: `padding:0 8px 20px;${font};font-size:15px;line-height:22px;font-weight:600;color:#3b4252;overflow-wrap:anywhere`,
  card: 'padding:40px;background-color:#ffffff;border:1px solid #e3e6eb;border-radius:14px',
  heading: `margin:0 0 16px;${font};font-size:24px;line-height:32px;font-weight:700;letter-spacing:-0.3px;color:#14171f;overflow-wrap:anywhere`,
  paragraph: `margin:0 0 28px;${font};font-size:16px;line-height:26px;color:#3b4252;overflow-wrap:anywhere`,
  buttonTable: 'margin:0 0 24px',
  button: 'background-color:#2b50d8;border-radius:9px;mso-padding-alt:14px 28px',
  buttonLink: `display:inline-block;padding:14px 28px;${font};font-size:16px;line-height:22px;font-weight:600;color:#ffffff;text-decoration:none;border-radius:9px`,
  small: `margin:0 0 28px;${font};font-size:13px;line-height:20px;color:#5f6b7d`,
  link: 'color:#2b50d8;text-decoration:underline;word-break:break-all',
  label: `margin:0 0 10px;${font};font-size:16px;line-height:26px;color:#3b4252`,
  code: "margin:0 0 28px;padding:16px 12px;background-color:#f2f4f7;border-radius:9px;text-align:center;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace;font-size:28px;line-height:36px;font-weight:700;letter-spacing:6px;text-indent:6px;color:#14171f;user-select:all;-webkit-user-select:all",
  closing: `margin:0;padding:20px 0 0;border-top:1px solid #e3e6eb;${font};font-size:14px;line-height:22px;color:#5f6b7d`,
  footer: `padding:20px 8px 0;${font};font-size:12px;line-height:18px;color:#5f6b7d;overflow-wrap:anywhere`,
  footerLink: 'color:#5f6b7d;text-decoration:underline',
} as const

/** Styles for clients with more support. `!important` overrides the inline styles. */
const mailStyles = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){
.margin{padding:24px 12px!important}
.card{padding:28px 22px!important}
.wide,.wide a{width:100%!important;box-sizing:border-box}
}
@media (prefers-color-scheme:dark){
.page{background-color:#0f1115!important}
.card{background-color:#191c23!important;border-color:#2c313b!important}
.strong,.code{color:#f4f6fa!important}
.normal,.site{color:#ccd1db!important}
.quiet{color:#98a1b0!important}
p.quiet{border-color:#2c313b!important}
.link{color:#8faaff!important}
.button{background-color:#4563e6!important;color:#ffffff!important}
.code{background-color:#262b35!important}
}
`

/** A code reads from left to right in every language. */
const code = `<p class="code" dir="ltr" style="${styles.code}">{{ .Token }}</p>`

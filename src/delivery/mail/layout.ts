import type { Language } from '../../platform/kit/languages.ts'
import type { MailText } from '../../platform/mails/mail-definition.ts'
import { type Phrases, phrases } from './phrases.ts'
import { mailStyles, styles } from './styles.ts'

/**
 * Returns the page of a built-in mail, as a template. Mail clients support tables and inline
 * styles; the style sheet adds what some support in addition: dark colours and narrow screens.
 *
 * No colour has six decimal digits, so that a search for the code finds nothing else.
 */
export function pageLayout(language: Language, { button, ...texts }: MailText): string {
  const [heading, message, closing] = [texts.heading, texts.message, texts.closing].map(keepEmail)
  const { direction, sentTo } = phrases[language]
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
${askFor(button, phrases[language])}<p class="quiet" style="${styles.closing}">${closing}</p>
</td></tr>
<tr><td class="quiet" style="${styles.footer}">${sentTo}<br><a class="quiet" style="${styles.footerLink}" href="{{ .SiteURL }}">{{ .SiteURL }}</a></td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

/** Prevents a line break between "E-" and "Mail". */
const keepEmail = (text: string): string => text.replace(/\b(e)-(mail)/gi, '$1\u2011$2')

/** Returns the button, the code for other devices, and the link for clients without buttons. */
function askFor(button: string | undefined, { orEnterCode, orOpenLink }: Phrases): string {
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

/** A code reads from left to right in every language. */
const code = `<p class="code" dir="ltr" style="${styles.code}">{{ .Token }}</p>`

/** Returns the plain text of the same mail, as a template. */
export function textLayout(language: Language, text: MailText): string {
  const { orEnterCode, enterCode, sentTo } = phrases[language]
  const link = `{{ if .ConfirmationURL }}${text.button}:
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

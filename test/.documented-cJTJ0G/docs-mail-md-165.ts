import { createAuth } from 'latchkey'
import type { MailTemplate } from 'latchkey'

const magicLink: MailTemplate = ({ variables, escapeHtml }) => ({
  subject: 'Sign in to Acme',
  html: `<p>Hello ${escapeHtml(String(variables.Data.first_name ?? 'there'))},</p>
<p><a href="${escapeHtml(variables.ConfirmationURL ?? '')}">Sign in</a>, or enter ${variables.Token}.</p>`,
})

const recoveryInSpanish: MailTemplate = (mail) =>
  mail.layout({
    subject: 'Acme: contraseña nueva',
    heading: 'Elige una contraseña nueva',
    message: 'Has solicitado cambiar la contraseña de tu cuenta de Acme.',
    button: 'Cambiar la contraseña',
    closing: 'Si no lo has solicitado, ignora este mensaje.',
    orEnterCode: 'O introduce este código:',
    orOpenLink: 'Si el botón no funciona, abre este enlace en tu navegador:',
    sentTo: `Enviado a ${mail.to} en nombre de ${mail.siteName}.`,
  })

export const auth = createAuth({
  siteUrl: 'https://app.example.com',
  database: process.env.DATABASE_URL,
  jwt: { secret: process.env.JWT_SECRET },
  email: {
    from: 'Acme <no-reply@example.com>',
    smtp: process.env.SMTP_URL,
    templates: { magicLink, recovery: { es: recoveryInSpanish } },
  },
})

export {}

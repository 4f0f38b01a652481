import type { Mail, MailKind, MailVariables } from './mail.ts'

const link = (
  type: string,
): Pick<MailVariables, 'ConfirmationURL' | 'TokenHash' | 'RedirectTo'> => {
  const hash = '5f0c6b1e9d3a47f28b6c0e1d2a3f4b5c6d7e8f901a2b3c4d5e6f7a8b'
  return {
    ConfirmationURL: `https://auth.example.com/verify?token=${hash}&type=${type}&redirect_to=https://app.example.com/welcome`,
    TokenHash: hash,
    RedirectTo: 'https://app.example.com/welcome',
  }
}

const code = { Token: '417309' }

/** What each kind knows beside what all of them know. */
const variables: Readonly<Record<MailKind, Partial<MailVariables>>> = {
  invite: { ...link('invite'), ...code },
  confirmation: { ...link('signup'), ...code },
  recovery: { ...link('recovery'), ...code },
  magicLink: { ...link('magiclink'), ...code },
  emailChange: {
    ...link('email_change'),
    ...code,
    NewEmail: 'ada@lovelace.example',
    SendingTo: 'ada@lovelace.example',
  },
  reauthentication: code,
  passwordChanged: {},
  emailChanged: { Email: 'ada@lovelace.example', OldEmail: 'ada@example.com' },
  phoneChanged: { Phone: '4915123456789', OldPhone: '447700900123' },
  identityLinked: { Provider: 'github' },
  identityUnlinked: { Provider: 'github' },
  mfaFactorEnrolled: { FactorType: 'totp' },
  mfaFactorUnenrolled: { FactorType: 'webauthn' },
  mfaRecoveryCodeUsed: {},
  trustedDeviceAdded: {},
}

export const mailKinds = Object.keys(variables) as MailKind[]

/** A mail of this kind to somebody who does not exist, for previews. */
export const sampleMail = (kind: MailKind, siteUrl: string, language: string): Mail => ({
  kind,
  to: 'ada@example.com',
  languages: [language],
  variables: {
    SiteURL: siteUrl,
    Email: 'ada@example.com',
    Data: { first_name: 'Ada', last_name: 'Lovelace' },
    ...variables[kind],
  },
})

/** What links can be made for. */
export const generatedLinkTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email_change_current',
  'email_change_new',
] as const

export type GeneratedLinkType = (typeof generatedLinkTypes)[number]

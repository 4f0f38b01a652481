/** What a proof turns out to be for; the wire answers it. */
export type ProofType =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change'
  | 'sms'
  | 'phone_change'

/** What may be wrong with a mail server, or with how it is spoken to. */
export type MailServerTrouble =
  /** Nobody knows the name. */
  | 'name'
  /** Nothing listens there. */
  | 'refused'
  /** Nothing comes back. */
  | 'silent'
  /** It speaks TLS where we do not, or the other way round. */
  | 'protocol'
  /** It cannot encrypt, and passwords, links and codes are not sent in clear. */
  | 'no_starttls'
  /** Its certificate is for another name. */
  | 'certificate_name'
  /** Its certificate is out of date, or signed by nobody that this machine trusts. */
  | 'certificate'
  | 'login'
  /** It takes no mail from our address. */
  | 'sender'
  /** It asks to come back later. */
  | 'busy'
  | 'other'

/** What nodemailer says of a failure. */
interface SmtpError {
  code?: unknown
  originalCode?: unknown
  command?: unknown
  responseCode?: unknown
}

const certificates =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/

/** What a failed conversation with a mail server comes from. */
export function mailServerTrouble(error: unknown): MailServerTrouble {
  const { code, originalCode, command, responseCode }: SmtpError = Object(error)
  if (typeof responseCode === 'number') return troubleOfAnswer(String(command), responseCode)
  const reason = String(originalCode ?? code)
  if (code === 'EDNS' || /^(ENOTFOUND|EAI_)/.test(reason)) return 'name'
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'certificate_name'
  if (certificates.test(reason)) return 'certificate'
  if (/^(ERR_SSL_|EPROTO)/.test(reason)) return 'protocol'
  if (/TIMEDOUT|TIMEOUT/.test(reason)) return 'silent'
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/.test(reason)) return 'refused'
  return 'other'
}

function troubleOfAnswer(command: string, status: number): MailServerTrouble {
  if (command === 'STARTTLS') return 'no_starttls'
  if (status < 500) return 'busy'
  if (command.startsWith('AUTH')) return 'login'
  return command === 'MAIL FROM' ? 'sender' : 'other'
}

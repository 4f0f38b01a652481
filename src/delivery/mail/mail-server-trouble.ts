/** Problems of a mail server, or of the connection to it. */
export type MailServerTrouble =
  /** The name cannot be resolved. */
  | 'name'
  /** No server listens there. */
  | 'refused'
  /** The server does not respond. */
  | 'silent'
  /** Only one side uses TLS from the start. */
  | 'protocol'
  /** It cannot encrypt, and passwords, links and codes are not sent unencrypted. */
  | 'no_starttls'
  /** Its certificate is for another name. */
  | 'certificate_name'
  /** Its certificate has expired, or its authority is not trusted. */
  | 'certificate'
  | 'login'
  /** It rejects the sender's address. */
  | 'sender'
  /** It rejects the connection temporarily. */
  | 'busy'
  | 'other'

/** nodemailer's description of a failure. */
interface SmtpError {
  code?: unknown
  originalCode?: unknown
  command?: unknown
  responseCode?: unknown
}

const certificates =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/

/** Returns the cause of a failed SMTP session. */
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

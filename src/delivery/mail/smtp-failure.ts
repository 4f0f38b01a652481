import { carrierRejection, finalRejection } from '../carriers/carrier.ts'

/** nodemailer's error. Its message may quote the server, and the server may quote addresses. */
interface SmtpError {
  code?: unknown
  command?: unknown
  responseCode?: unknown
  response?: unknown
  originalCode?: unknown
}

/** Commands whose rejection concerns this mail, so that a retry fails as well. */
const aboutTheMail = new Set(['RCPT TO', 'DATA'])

/**
 * Converts an SMTP failure. The server's response is not quoted in full.
 *
 * @returns a rejection by the server, or an error of the connection.
 */
export function smtpFailure(error: unknown): Error {
  const { code, command, responseCode, response, originalCode }: SmtpError = Object(error)
  if (typeof responseCode === 'number') {
    const isFinal = responseCode >= 500 && aboutTheMail.has(String(command))
    const status = statusOf(responseCode, response)
    const reason = `the mail server returned ${status} to ${String(command)}`
    return carrierRejection(reason, { isFinal })
  }
  // Without a response of the server, these errors are nodemailer's own.
  if (code === 'EENVELOPE') return finalRejection('no mail can be sent to the address')
  if (code === 'EMESSAGE') return finalRejection('the mail exceeds the size limit of the server')
  const reason = typeof originalCode === 'string' ? originalCode : (code ?? 'unknown')
  return Object.assign(
    new Error(`the mail server was unreachable, or the connection was lost: ${String(reason)}`),
    {
      name: 'MailServerError',
      code: reason,
    },
  )
}

/** `550 5.1.1`. @see RFC 3463 */
function statusOf(responseCode: number, response: unknown): string {
  const [, enhanced] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(String(response)) ?? []
  return enhanced === undefined ? String(responseCode) : `${responseCode} ${enhanced}`
}

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

import { carrierRejection } from '../carriers/carrier.ts'

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
    return carrierRejection(`the mail server returned ${status} to ${String(command)}`, isFinal)
  }
  // Without a response of the server, these errors are nodemailer's own.
  if (code === 'EENVELOPE') return carrierRejection('no mail can be sent to the address', true)
  if (code === 'EMESSAGE')
    return carrierRejection('the mail exceeds the size limit of the server', true)
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

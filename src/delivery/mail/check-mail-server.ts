import type { Config } from '../../platform/config/config.ts'
import { smtpTlsPolicy } from '../../platform/kit/smtp-tls-policy.ts'
import type { ResolveName } from '../../platform/kit/url-trust.ts'
import {
  connectByAddress,
  type SmtpPatience,
  type SmtpPlace,
  smtpOptions,
  usualPatience,
} from './smtp-connection.ts'
import { type MailServerTrouble, mailServerTrouble, smtpFailure } from './smtp-failure.ts'

export interface MailServerNeeds extends SmtpPlace {
  email: Pick<Config['email'], 'smtp' | 'from'>
}

/** A problem: the error, and its kind. */
export interface MailServerFinding {
  trouble: MailServerTrouble
  error: Error
}

/**
 * Opens an SMTP session with user, password and sender address, and sends no mail: no recipient is
 * named.
 *
 * @returns null if the server would accept a mail.
 */
export async function checkMailServer(
  config: MailServerNeeds,
  patience: SmtpPatience = { ...usualPatience, silenceMs: 10_000 },
  resolve?: ResolveName,
): Promise<MailServerFinding | null> {
  try {
    await converse(config, patience, resolve)
    return null
  } catch (error) {
    return { trouble: mailServerTrouble(error), error: smtpFailure(error) }
  }
}

/** A custom authentication method of nodemailer, used to send a sender without a recipient. */
const senderProbe = 'ASK-FOR-SENDER'

async function converse(
  config: MailServerNeeds,
  patience: SmtpPatience,
  resolve?: ResolveName,
): Promise<void> {
  const { auth, ...options } = smtpOptions(config, patience)
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
  let answer: Reply = {}
  const ask = async ({ sendCommand }: { sendCommand(command: string): Promise<Reply> }) => {
    answer = await sendCommand(`MAIL FROM:<${config.email.from.address ?? ''}>`)
    await sendCommand('RSET')
  }
  const place = { host: options.host, port: options.port, timeoutMs: patience.connectMs }
  const opened =
    smtpTlsPolicy(config.email.smtp) === 'by-address' && (await connectByAddress(place, resolve))
  const connection = new SMTPConnection({
    ...options,
    ...opened,
    customAuth: { [senderProbe]: ask },
  })
  const lost = new Promise<never>((_, reject) => connection.on('error', reject))
  const step = (take: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      lost,
      new Promise<void>((resolve, reject) => take((error) => (error ? reject(error) : resolve()))),
    ])
  try {
    await step((done) => connection.connect(done))
    if (auth && connection.allowsAuth) await step((done) => connection.login(auth, done))
    await step((done) => connection.login({ method: senderProbe }, done))
    if ((answer.status ?? 0) >= 400) throw rejectionOf(answer)
    connection.quit()
  } finally {
    connection.close()
  }
}

interface Reply {
  status?: number
  response?: string
}

const rejectionOf = ({ status, response }: Reply): Error =>
  Object.assign(new Error('the sender was rejected'), {
    responseCode: status,
    response,
    command: 'MAIL FROM',
  })

import { once } from 'node:events'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { isPrivate, type ResolveName, resolveName } from '../../platform/kit/url-trust.ts'

export interface MailServerPlace {
  host: string
  port: number
  timeoutMs: number
}

/** An open connection to a mail server, in the form of nodemailer's options. */
export interface MailServerConnection {
  connection: Socket
  requireTLS: boolean
}

/**
 * Connects to a mail server and decides by the addresses of its name whether TLS is required: one
 * public address is sufficient. The name is resolved once, so no other resolution can differ.
 */
export async function connectByAddress(
  { host, port, timeoutMs }: MailServerPlace,
  resolve: ResolveName = resolveName,
): Promise<MailServerConnection> {
  let requireTLS = true
  const lookup: LookupFunction = (name, _options, callback) => {
    resolve(name).then(
      (found) => {
        requireTLS = !found.every(({ address }) => isPrivate(address))
        if (found.length > 0) callback(null, found)
        else callback(failure('ENOTFOUND', 'the name has no address'), [])
      },
      (error) => callback(error, []),
    )
  }
  const connection = connect({ host, port, lookup, autoSelectFamily: true })
  const timer = setTimeout(
    () => connection.destroy(failure('ETIMEDOUT', 'the connection timed out')),
    timeoutMs,
  )
  try {
    await once(connection, 'connect')
  } finally {
    clearTimeout(timer)
  }
  return { connection, requireTLS }
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An error that PostgreSQL reports: its class, code and message. */
export interface ServerError {
  severity: 'ERROR' | 'FATAL'
  code: string
  message: string
}

/** A proxy that replaces responses of PostgreSQL by errors. */
export interface ErrorPooler {
  /** The URL of the database through it. */
  url: string
  /** Responds to statements, to new connections, or to neither with an error. */
  fail(errors: { statements?: ServerError | null; connections?: ServerError | null }): void
  /** Returns the number of connections that it answered with an error. */
  refused(): number
  close(): Promise<void>
}

export async function startErrorPooler(databaseUrl: string): Promise<ErrorPooler> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let refused = 0
  let errors: { statements?: ServerError | null; connections?: ServerError | null } = {}
  const server = createServer((client) => {
    const { connections } = errors
    sockets.add(client)
    client.on('error', () => {}).on('close', () => sockets.delete(client))
    if (connections) {
      client.once('data', () => {
        refused += 1
        client.end(errorMessage(connections))
      })
      return
    }
    const upstream = connect(Number(target.port || 5432), target.hostname)
    sockets.add(upstream)
    upstream.on('error', () => {}).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    upstream.pipe(client)
    client.on('data', (chunk: Buffer) => {
      // The driver sends a statement in one chunk, whose first message has one of these types.
      const isStatement = ['Q', 'P', 'B'].includes(String.fromCharCode(chunk[0] ?? 0))
      const { statements } = errors
      if (!statements || !isStatement) return void upstream.write(chunk)
      const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
      client.write(Buffer.concat([errorMessage(statements), ready]))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    fail: (next) => {
      errors = next
    },
    refused: () => refused,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** @see PostgreSQL, "Message Formats", ErrorResponse */
function errorMessage({ severity, code, message }: ServerError): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${message}`, '']
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''))
  const header = Buffer.alloc(5)
  header.write('E', 'latin1')
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

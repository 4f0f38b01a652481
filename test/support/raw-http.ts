import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Opens a connection to send bytes that no HTTP client would send. */
export async function openConnection(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  // The server may close the connection of a rejected request while it is being sent.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/**
 * Sends a text and reads until the server closes the connection.
 *
 * @param text the bytes to send, in latin1.
 * @returns the statuses of all responses, and the received text.
 */
export async function sendRaw(
  port: number,
  text: string,
): Promise<{ statuses: number[]; text: string }> {
  const socket = await openConnection(port)
  let answer = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('end', () => socket.destroy())
  socket.end(text, 'latin1')
  await closed
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  return { statuses, text: answer }
}

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Opens a connection to say things that no client would let one say. */
export async function openConnection(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  // Whoever is refused may be cut off while still talking.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/**
 * Says something and listens until the server hangs up.
 *
 * @param text what to send, byte for byte: in latin1.
 * @returns the statuses of all answers, and all that was said.
 */
export async function say(
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

import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

// Opens so many connections, sends thousands of requests on each without waiting for responses, and opens another one
// for each that is closed, until it is terminated. It reports how many it has opened, twice a second.
const { url, count, requests } = workerData as { url: string; count: number; requests: number }
const { port, hostname } = new URL(url)
const text = Buffer.from('GET /health HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests))
let opened = 0

function open(): void {
  opened += 1
  const socket = connect({ port: Number(port), host: hostname })
  socket
    .resume()
    .on('error', () => {})
    .on('close', () => setImmediate(open))
  socket.write(text)
}

for (let index = 0; index < count; index += 1) open()
setInterval(() => parentPort?.postMessage(opened), 500)

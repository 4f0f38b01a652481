import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

// Sends a number of requests, each on its own connection, and reports their times. It runs as a
// thread, since the thread of the flood is late itself.
const { url, count } = workerData as { url: string; count: number }
const times: number[] = []
for (let index = 0; index < count; index += 1) {
  const since = performance.now()
  const { status } = await fetch(`${url}/settings`, { headers: { connection: 'close' } })
  if (status !== 200) throw new Error(`answered ${status}`)
  times.push(performance.now() - since)
  await sleep(50)
}
parentPort?.postMessage(times)

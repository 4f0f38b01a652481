import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

// Asks so many times, each on a connection of its own, and tells how long each took. It is run as a thread,
// since the one that plays the flood is late itself.
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

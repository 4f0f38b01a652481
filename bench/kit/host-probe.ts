import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from './statistics.ts'

export interface HostLatency {
  p50: number
  p99: number
}

const pauseMs = 2

/** Measures how long the host needs to read a file, which it does all the time, in milliseconds. */
export function hostProbe() {
  let probing = Promise.resolve()
  let running = false
  let waits: number[] = []

  const probe = async () => {
    while (running) {
      const startedAt = performance.now()
      await readFile(import.meta.filename)
      waits.push(performance.now() - startedAt)
      await sleep(pauseMs)
    }
  }
  return {
    startProbe: () => {
      running = true
      waits = []
      probing = probe()
    },
    stopProbe: async (): Promise<HostLatency> => {
      running = false
      await probing
      return { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) }
    },
  }
}

import { setTimeout as sleep } from 'node:timers/promises'

const fewestRuns = 5
const mostRuns = 30

/** Returns the processor time of the main thread during one run, in milliseconds. */
export async function threadMs(act: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await act()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Returns the lowest processor time of the main thread over several runs, in milliseconds. Waiting
 * for other processes is not included. There are five runs, since the first ones are not compiled
 * yet, and up to thirty within five seconds while the time exceeds the limit, since a shared machine
 * adds time of others.
 */
export async function mainThreadMs(act: () => Promise<unknown>, limitMs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < mostRuns; run += 1) {
    if (run >= fewestRuns) {
      if (best < limitMs) break
      await sleep(200)
    }
    best = Math.min(best, await threadMs(act))
  }
  return best
}

const parsings = 20

/**
 * Returns the processor time in which this machine parses a megabyte of JSON, in milliseconds: the
 * scale of limits. It is measured over several parsings, since some systems count whole ticks only.
 */
export async function parsingMs(): Promise<number> {
  const megabyte = JSON.stringify(Array.from({ length: 150_000 }, (_, value) => value))
  const ms = await threadMs(() => {
    for (let done = 0; done < parsings; done += 1) JSON.parse(megabyte)
  })
  return ms / parsings
}

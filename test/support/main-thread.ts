/**
 * How long the main thread worked at most while something ran, in milliseconds of processor time: no wait
 * on other processes counts. The best of five runs, since the first ones are not compiled yet.
 */
export async function mainThreadMs(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run += 1) {
    const before = process.threadCpuUsage()
    await act()
    const { user, system } = process.threadCpuUsage(before)
    times.push((user + system) / 1_000)
  }
  return Math.min(...times)
}

/** Writes as many of the bytes as there is room for now, and returns how many; 0 also where it fails. */
export type LineWriter = (bytes: Buffer) => number

export interface BoundedLines {
  write(line: string): void
  /** Writes what there is room for. */
  flush(): void
}

/** How much may wait to be written. */
const maxWaitingBytes = 1_048_576
/** How often it is tried again. */
const tryEveryMs = 50

/**
 * Writes lines in order, each at once where there is room. What has to wait is bounded: lines beyond that are
 * dropped and counted, and told of by a line of their own as soon as there is room again.
 *
 * @param notice the line, without its end, that tells how many were dropped.
 */
export function boundedLines(write: LineWriter, notice: (dropped: number) => string): BoundedLines {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let dropped = 0
  let trying: NodeJS.Timeout | undefined

  const wait = (bytes: Buffer): void => {
    waiting.push(bytes)
    waitingBytes += bytes.length
    trying ??= setInterval(flush, tryEveryMs).unref()
  }
  const flush = (): void => {
    if (waiting.length === 0) return
    const rest = writeAll(write, Buffer.concat(waiting))
    waiting = []
    waitingBytes = 0
    if (rest) {
      wait(rest)
      return
    }
    clearInterval(trying)
    trying = undefined
    if (dropped === 0) return
    const told = `${notice(dropped)}\n`
    dropped = 0
    writeNext(Buffer.from(told))
  }
  const writeNext = (bytes: Buffer): void => {
    const rest = writeAll(write, bytes)
    if (rest) wait(rest)
  }
  return {
    flush,
    write: (line) => {
      const bytes = Buffer.from(line)
      if (waiting.length === 0) writeNext(bytes)
      // Once lines are dropped, all are until there is room: none comes before the line that tells of them.
      else if (dropped > 0 || waitingBytes + bytes.length > maxWaitingBytes) dropped += 1
      else wait(bytes)
    },
  }
}

/** What there was no room for; null where there was. */
function writeAll(write: LineWriter, bytes: Buffer): Buffer | null {
  let rest = bytes
  while (rest.length > 0) {
    const written = write(rest)
    if (written === 0) return rest
    rest = rest.subarray(written)
  }
  return null
}

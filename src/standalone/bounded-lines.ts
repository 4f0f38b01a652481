/**
 * Writes as many of the bytes as the destination accepts now, and returns their number; 0 if the
 * write fails, too.
 */
export type LineWriter = (bytes: Buffer) => number

export interface BoundedLines {
  write(line: string): void
  /** Writes as much as the destination accepts. */
  flush(): void
}

/** The most bytes that wait to be written. */
const maxWaitingBytes = 1_048_576
/** The interval between attempts to write waiting lines. */
const tryEveryMs = 50

/**
 * Writes lines in order, each at once while the destination accepts bytes. The waiting bytes are
 * bounded: lines beyond the limit are dropped and counted, and a line with their number is written
 * once the destination accepts bytes again.
 *
 * @param notice returns the line, without its line break, that reports how many were dropped.
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
      // After the first dropped line all are dropped until the waiting ones are written, so that
      // the notice stands in the place of the gap.
      else if (dropped > 0 || waitingBytes + bytes.length > maxWaitingBytes) dropped += 1
      else wait(bytes)
    },
  }
}

/** Returns the bytes that the destination did not accept; null if it accepted all. */
function writeAll(write: LineWriter, bytes: Buffer): Buffer | null {
  let rest = bytes
  while (rest.length > 0) {
    const written = write(rest)
    if (written === 0) return rest
    rest = rest.subarray(written)
  }
  return null
}

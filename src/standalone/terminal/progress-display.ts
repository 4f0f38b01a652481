/** A display of an import's progress on standard error. */
export interface ProgressDisplay {
  /** @param share the processed part, from 0 to 1; null if the total is unknown. */
  show(words: string, share: number | null): void
  /** Clears the progress, before a line of text. */
  clear(): void
}

const barWidth = 16
const secondsBetweenLines = 10

/** Shows a moving bar on a terminal; elsewhere a line from time to time. */
export const createProgressDisplay = (): ProgressDisplay =>
  process.stderr.isTTY ? movingBar() : plainLines()

/** Returns the percentage and the results so far. */
const inText = (words: string, share: number | null): string =>
  share === null ? words : `${String(Math.floor(share * 100)).padStart(3)} %  ${words}`

function movingBar(): ProgressDisplay {
  const clear = () => process.stderr.write('\r\u001b[K')
  return {
    clear,
    show: (words, share) => {
      const text = `${bar(share)}${inText(words, share)}`
      clear()
      // A longer text would continue on a second line, which is not cleared. Some terminals report
      // 0 columns.
      process.stderr.write(text.slice(0, (process.stderr.columns || 80) - 1))
    },
  }
}

function bar(share: number | null): string {
  if (share === null) return ''
  const done = Math.round(share * barWidth)
  return `[${'#'.repeat(done)}${'-'.repeat(barWidth - done)}] `
}

function plainLines(): ProgressDisplay {
  let printedAt = performance.now()
  return {
    clear: () => {},
    show: (words, share) => {
      if (performance.now() - printedAt < secondsBetweenLines * 1000) return
      printedAt = performance.now()
      process.stderr.write(`${inText(words, share).trim()}\n`)
    },
  }
}

/** Formats a number with separators: `1,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString('en')

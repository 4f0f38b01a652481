/** Shows on standard error how far an import is. */
export interface ProgressDisplay {
  /** @param share of the whole, from 0 to 1; null where nobody knows how much there is. */
  show(words: string, share: number | null): void
  /** Makes room for a line of text. */
  clear(): void
}

const barWidth = 16
const secondsBetweenLines = 10

/** A bar that moves on a terminal; elsewhere a line now and then. */
export const createProgressDisplay = (): ProgressDisplay =>
  process.stderr.isTTY ? movingBar() : plainLines()

/** How far, and what came of it so far. */
const inText = (words: string, share: number | null): string =>
  share === null ? words : `${String(Math.floor(share * 100)).padStart(3)} %  ${words}`

function movingBar(): ProgressDisplay {
  const clear = () => process.stderr.write('\r\u001b[K')
  return {
    clear,
    show: (words, share) => {
      const text = `${bar(share)}${inText(words, share)}`
      clear()
      // What does not fit would go on a second line, which is not cleared. Some terminals say 0.
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
  let toldAt = performance.now()
  return {
    clear: () => {},
    show: (words, share) => {
      if (performance.now() - toldAt < secondsBetweenLines * 1000) return
      toldAt = performance.now()
      process.stderr.write(`${inText(words, share).trim()}\n`)
    },
  }
}

/** A number as people read it: `1,000,000`. */
export const spelled = (count: number): string => count.toLocaleString('en')

import type { ImportProgress } from '../../flows/import-users/import-input.ts'

/** Shows on standard error how far an import is. */
export interface ProgressDisplay {
  show(progress: ImportProgress, share: number | null): void
  /** Makes room for a line of text. */
  clear(): void
}

const barWidth = 16
const secondsBetweenLines = 10

/** A bar that moves on a terminal; elsewhere a line now and then. */
export const createProgressDisplay = (): ProgressDisplay =>
  process.stderr.isTTY ? movingBar() : plainLines()

/** How far and how many, in words. */
export function describeProgress(progress: ImportProgress, share: number | null): string {
  const { imported, alreadyThere, refused } = progress
  const counts = `${spelled(imported)} stored, ${spelled(alreadyThere)} there already, ${spelled(refused)} refused`
  return share === null ? counts : `${String(Math.floor(share * 100)).padStart(3)} %  ${counts}`
}

function movingBar(): ProgressDisplay {
  const clear = () => process.stderr.write('\r\u001b[K')
  return {
    clear,
    show: (progress, share) => {
      const text = `${bar(share)}${describeProgress(progress, share)}`
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
    show: (progress, share) => {
      if (performance.now() - toldAt < secondsBetweenLines * 1000) return
      toldAt = performance.now()
      process.stderr.write(`${describeProgress(progress, share).trim()}\n`)
    },
  }
}

const spelled = (count: number): string => count.toLocaleString('en')

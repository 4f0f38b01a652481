import { isAMillion, type Office, sizeOf } from '../../kit/office.ts'
import type { Bar, Section } from '../../report/section.ts'
import { digits } from '../../report/table.ts'

/** Describes the speed of imports, and whether their memory grows with the number of users. */
export const describeImports = (offices: Office[]): Section => ({
  title: 'Importing users',
  note: 'Users with hash, address, number and two identities each, by `auth.admin.importUsers` from a generator, into a database with `pg_trgm`. Resident memory at its peak until a tenth was stored, and until all was.',
  table: [
    ['users', 'a minute', 'MB until a tenth', 'MB'],
    ...offices.map((office) => {
      const { usersPerMinute, earlyPeakBytes, peakBytes } = office.imported
      return [
        sizeOf(office),
        Math.round(usersPerMinute).toLocaleString('en'),
        digits(earlyPeakBytes / 1e6),
        digits(peakBytes / 1e6),
      ]
    }),
  ],
  bars: offices.slice(-1).flatMap(barsOf),
})

function barsOf(office: Office): Bar[] {
  const { usersPerMinute, earlyPeakBytes, peakBytes } = office.imported
  const speed: Bar = {
    what: `import of ${sizeOf(office)}: users a minute`,
    measured: Math.round(usersPerMinute),
    unit: '',
    limit: { atLeast: 20_000 },
  }
  // A process that has just started still grows to its lasting size.
  if (!isAMillion(office)) return [speed]
  const memory: Bar = {
    what: `import of ${sizeOf(office)}: memory, all against the first tenth`,
    measured: peakBytes / earlyPeakBytes,
    unit: '×',
    limit: { atMost: 1.2 },
  }
  return [speed, memory]
}

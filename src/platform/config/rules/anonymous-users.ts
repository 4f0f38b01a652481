import type { Rule } from './rule.ts'

const path = 'anonymousUsers.staleAfterSeconds'
const daySeconds = 24 * 60 * 60

/** Who deletes people after minutes has mistaken the unit. */
export const requireLongStaleness: Rule = ({ config, report }) => {
  const { staleAfterSeconds } = config.anonymousUsers
  if (report.hasProblem(path) || staleAfterSeconds === 0 || staleAfterSeconds >= daySeconds) return
  report.problem(path, 'must be 24h at least, or 0, which deletes nobody')
}

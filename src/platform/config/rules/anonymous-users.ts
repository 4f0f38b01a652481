import type { Rule } from './rule.ts'

const path = 'anonymousUsers.staleAfterSeconds'
const daySeconds = 24 * 60 * 60

/** Rejects a period of minutes, which is a mistaken unit and would delete active users. */
export const requireLongStaleness: Rule = ({ config, report }) => {
  const { staleAfterSeconds } = config.anonymousUsers
  if (report.hasProblem(path) || staleAfterSeconds === 0 || staleAfterSeconds >= daySeconds) return
  report.problem(path, 'must be at least 24h, or 0 to delete no users')
}

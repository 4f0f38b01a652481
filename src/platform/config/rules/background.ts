import type { Rule } from './rule.ts'

/**
 * Warns of a response delay without effect: in processes that stay alive, messages are sent after
 * the response.
 */
export const warnOfIdleDelay: Rule = ({ config: { background }, given, report }) => {
  const path = 'background.answerDelaySeconds'
  if (!given.has(path) || report.hasProblem(path)) return
  if (!background.frozenBetweenRequests) {
    const needed = report.name('background.frozenBetweenRequests')
    report.warn(path, `has no effect without ${needed}`)
  } else if (background.waitUntil !== null) {
    report.warn(path, `has no effect with ${report.name('background.waitUntil')}`)
  }
}

import type { Rule } from './rule.ts'

/**
 * Warns that a stolen `aal2` session can add credentials if the check for a recent proof is
 * disabled.
 */
export const warnWithoutRecentProof: Rule = ({ config, report }) => {
  if (config.security.recentProofSeconds !== 0) return
  report.warn(
    'security.recentProofSeconds',
    'is 0: a stolen session at aal2 can add and replace credentials without a recent proof of a factor',
  )
}

import type { Rule } from './rule.ts'

/** Requires one Redis where it is the store of counters, and warns of one without effect. */
export const requireRedis: Rule = ({ config: { rateLimits }, given, report }) => {
  const named = ['rateLimits.redisUrl', 'rateLimits.redis'].filter(given.has)
  if (named.length === 2) {
    report.problem('rateLimits.redis', `replaces ${report.name('rateLimits.redisUrl')}: remove one`)
  }
  if (rateLimits.store === 'redis') {
    if (named.length > 0) return
    const because = `is required because ${report.name('rateLimits.store')} is redis`
    report.problem('rateLimits.redisUrl', because)
    return
  }
  for (const path of named) {
    report.warn(
      path,
      `has no effect where ${report.name('rateLimits.store')} is ${rateLimits.store}`,
    )
  }
}

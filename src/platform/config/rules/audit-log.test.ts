import { describe, expect, it } from 'vitest'
import { minimal } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'

const path = 'auditLog.disablePostgres'
const ignore = () => {}
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore }

describe('S51: an audit log that is not stored', () => {
  const warnings = (changes: AuthConfig) =>
    checkConfig({ ...minimal, auditLog: { disablePostgres: true }, ...changes }).warnings

  it.each([{}, { logger: false as const }])(
    'causes a warning in an application with %j',
    (given) => {
      expect(warnings(given).join()).toContain(`${path} discards audit entries`)
    },
  )

  it('causes no warning if the application has a log', () => {
    expect(warnings({ logger }).join()).not.toContain(path)
    expect(warnings({ auditLog: {} }).join()).not.toContain(path)
  })

  it.each([
    ['warn', true],
    ['error', true],
    ['panic', true],
    ['info', false],
    ['debug', false],
  ] as const)('causes a warning under serve if its log has the level %s: %s', (level, isWarned) => {
    const given = { ...minimal, auditLog: { disablePostgres: true }, log: { level } }
    const { warnings } = checkConfig(given, { nameOf: (name) => name })

    expect(warnings.join().includes('auditLog.disablePostgres discards')).toBe(isWarned)
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkAdvisories, readAdvisories } from './check-advisories.ts'

// T45: users of a version with a fixed vulnerability were not notified.

const record = (
  changes: object = {},
  events: object[] = [{ introduced: '0' }, { fixed: '1.2.3' }],
) => ({
  schema_version: '1.7.0',
  id: 'GHSA-aaaa-bbbb-cccc',
  aliases: ['CVE-2030-12345'],
  modified: '2030-01-01T00:00:00Z',
  summary: 'Links could be used twice',
  affected: [
    { package: { ecosystem: 'npm', name: 'latchkey' }, ranges: [{ type: 'SEMVER', events }] },
  ],
  ...changes,
})

const folder = mkdtempSync(join(tmpdir(), 'latchkey-advisories-'))
afterAll(() => rmSync(folder, { recursive: true }))
function fileOf(content: unknown): string {
  const file = join(folder, `${crypto.randomUUID()}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const levelOf = (version: string, ...records: object[]) =>
  checkAdvisories(version, fileOf(records)).map(({ level }) => level)

describe('T45: advisories', () => {
  it('report for each version whether it is affected, without a network request', () => {
    const again = [
      { introduced: '1.0.0' },
      { fixed: '1.2.3' },
      { introduced: '2.0.0-rc.1' },
      { last_affected: '2.0.5' },
    ]
    const levels = (events: object[], ...versions: string[]) =>
      versions.map((version) => levelOf(version, record({}, events))[0])

    expect(
      levels([{ introduced: '0' }, { fixed: '1.2.3' }], '0.0.0', '1.2.2', '1.2.3-rc.1'),
    ).toEqual(Array(3).fill('problem'))
    expect(levels([{ introduced: '0' }, { fixed: '1.2.3' }], '1.2.3', '1.10.0')).toEqual(
      Array(2).fill('fine'),
    )
    expect(levels(again, '1.0.0', '2.0.0-rc.2', '2.0.5')).toEqual(Array(3).fill('problem'))
    expect(levels(again, '0.9.0', '1.9.0', '2.0.6')).toEqual(Array(3).fill('fine'))
    expect(levels([{ introduced: '0' }], '7.0.0')).toEqual(['problem'])
  })

  it('name the version to update to', () => {
    const [found] = checkAdvisories('1.0.0', fileOf([record()]))
    const [unfixed] = checkAdvisories('1.0.0', fileOf([record({}, [{ introduced: '0' }])]))

    expect(found).toEqual({
      level: 'problem',
      about: 'advisories',
      message:
        '1.0.0 is affected by GHSA-aaaa-bbbb-cccc, CVE-2030-12345: Links could be used twice',
      remedy: 'update to 1.2.3 or later',
    })
    expect(unfixed?.remedy).toMatch(/no fixed version is available/)
  })

  it('of the repository are OSV records that scanners find: by CVE and by GHSA', () => {
    const file = new URL('../../../security/advisories.json', import.meta.url)
    const list = JSON.parse(readFileSync(file, 'utf8'))

    expect(readAdvisories(list)).toHaveLength(list.length)
    for (const wrong of [
      record({ aliases: [] }),
      record({ id: 'LATCHKEY-1' }),
      record({ modified: 'yesterday' }),
      record({ summary: '' }),
      record({ affected: [] }),
      record({ affected: [{ package: { ecosystem: 'npm', name: 'another' }, ranges: [] }] }),
    ]) {
      expect(() => readAdvisories([wrong])).toThrow(/^advisories: /)
    }
  })

  it('that cannot be read are a problem, not an empty list', () => {
    for (const content of ['not JSON', {}, [record({ aliases: [] })]]) {
      expect(checkAdvisories('1.0.0', fileOf(content)).map(({ level }) => level)).toEqual([
        'problem',
      ])
    }
    expect(checkAdvisories('1.0.0', join(folder, 'gone.json'))[0]?.level).toBe('problem')
    expect(checkAdvisories('1.0.0')[0]?.level).toBe('fine')
  })
})

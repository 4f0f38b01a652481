import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// `performAct` completes every record of an act. Nothing else makes the rows of one, so no record
// can be left out.

const src = join(import.meta.dirname, '../src')
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }))

const filesWith = (text: string | RegExp): string[] =>
  sources
    .filter((file) => file.text.search(text) >= 0)
    .map(({ path }) => path)
    .toSorted()

const recorder = 'accounts/acts/record-act.ts'

describe('the records of an act', () => {
  it('are audit entries that the recorder makes', () => {
    expect(filesWith(/rowsOf\(\s*'audit_entries'/)).toEqual(['accounts/audit/audit-note.ts'])
    expect(filesWith(/\bauditNote\(/)).toEqual([recorder, 'accounts/audit/audit-note.ts'])
    expect(filesWith(/\bas Rows<'audit_entries'>/)).toEqual([])
  })

  it('are events that the recorder makes', () => {
    expect(filesWith(/\beventRows\(/)).toEqual(['accounts/acts/event-rows.ts', recorder])
  })

  it('wake delivery in the recorder, beside the operator who retries a message', () => {
    expect(filesWith(/\boutbox\.wake\(/)).toEqual([recorder, 'service/api/create-outbox-api.ts'])
  })

  it('are counted by the recorder', () => {
    expect(filesWith(`'auth.acts'`)).toEqual([recorder, 'platform/observability/instruments.ts'])
  })
})

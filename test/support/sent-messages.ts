import { expect } from 'vitest'
import type { ReceivedMail } from './smtp-server.ts'
import { runSql } from './sql.ts'

/**
 * Verifies that each message of the outbox is sent, and none more often than it was claimed, always
 * with the same date.
 *
 * @param mails the mails that the server of the service receives.
 * @param recipients the recipients of acknowledged requests, once for each request.
 */
export async function requireMessagesSent(
  databaseUrl: string,
  mails: readonly ReceivedMail[],
  recipients: readonly string[],
): Promise<void> {
  // The leases of killed processes end a minute later.
  await runSql(
    databaseUrl,
    `update auth.outbox_messages set next_attempt_at = now() where status = 'sending'`,
  )
  const unsettled = () =>
    runSql(
      databaseUrl,
      `select status, count(*)::int as n from auth.outbox_messages where status <> 'sent' group by 1`,
    )
  await expect.poll(unsettled, { timeout: 120_000, interval: 500 }).toEqual([])
  const rows = await runSql(databaseUrl, 'select id, recipient, attempts from auth.outbox_messages')
  const stored = countOf(rows.map(({ recipient }) => recipient))
  const requested = countOf(recipients)
  // The Message-ID is derived from the id of the message.
  const received = Map.groupBy(mails, ({ messageId }) => messageId?.match(/[^<@]+/)?.[0])
  const sent = rows.map((row) => ({ ...row, mails: received.get(String(row['id'])) ?? [] }))
  const twice = sent.filter((one) => one.mails.length > 1)
  console.log(`${rows.length} messages in ${mails.length} mails; ${twice.length} more than once`)

  expect(requested.size).toBeGreaterThan(0)
  const isMissing = ([email, count]: [unknown, number]) => (stored.get(email) ?? 0) < count
  expect([...requested].filter(isMissing)).toEqual([])
  expect(sent.filter((one) => one.mails.length === 0)).toEqual([])
  expect(twice.filter((one) => one.mails.length > Number(Object(one).attempts))).toEqual([])
  expect(twice.filter((one) => countOf(one.mails.map(({ date }) => date)).size > 1)).toEqual([])
  expect(received.size).toBe(rows.length)
}

/** Returns the number of each value. */
function countOf(values: readonly unknown[]): Map<unknown, number> {
  return new Map(
    [...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]),
  )
}

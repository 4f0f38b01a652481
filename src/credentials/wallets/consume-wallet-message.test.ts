import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { makeWallet, walletMessage } from '../../../test/support/wallets.ts'
import { sweepExpiredRows } from '../../platform/sql/delete-rows.sql.ts'
import { consumeWalletMessage } from './consume-wallet-message.sql.ts'
import { readWalletMessage, type WalletMessage } from './read-wallet-message.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const hour = (hours: number) => new Date(Date.UTC(2026, 2, 1, hours))
const newMessage = (): WalletMessage =>
  readWalletMessage('ethereum', walletMessage(makeWallet('ethereum'), hour(12)))

describe('a message that is consumed', () => {
  it('is consumed by one of several concurrent requests', async () => {
    const { database } = await auth.deps()
    const message = newMessage()

    const spent = await Promise.all(
      Array.from({ length: 8 }, () => consumeWalletMessage(database.sql, message, hour(13))),
    )

    expect(spent.filter(Boolean)).toEqual([true])
    expect(await consumeWalletMessage(database.sql, newMessage(), hour(13))).toBe(true)
  })

  it('is accepted again where the transaction that consumed it is rolled back', async () => {
    const { database } = await auth.deps()
    const message = newMessage()

    const undone = database.transaction(async ({ sql }) => {
      expect(await consumeWalletMessage(sql, message, hour(13))).toBe(true)
      throw new Error('undone')
    })

    await expect(undone).rejects.toThrow('undone')
    expect(await consumeWalletMessage(database.sql, message, hour(13))).toBe(true)
  })

  it('is deleted once it has expired, and does not reveal its signer', async () => {
    const { database } = await auth.deps()
    await auth.rows('delete from auth.spent_wallet_messages')
    const [old, young] = [newMessage(), newMessage()]
    await consumeWalletMessage(database.sql, old, hour(13))
    await consumeWalletMessage(database.sql, young, hour(14))

    const sweep = sweepExpiredRows('spent_wallet_messages', 'message_hash')
    expect(await sweep(database.sql, { expiredSince: hour(14), limit: 9 })).toBe(1)

    expect(await auth.rows('select * from auth.spent_wallet_messages')).toEqual([
      {
        message_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        expires_at: '2026-03-01 14:00:00+00',
      },
    ])
    expect(await consumeWalletMessage(database.sql, young, hour(14))).toBe(false)
  })
})

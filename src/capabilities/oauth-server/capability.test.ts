import { afterEach, expect, it, vi } from 'vitest'
import type { OutletNeeds } from '../capability.ts'
import { oauthServer } from './capability.ts'

afterEach(() => {
  vi.doUnmock('./logout/logout-outlet.ts')
})

it('S84: a failed load of the sender of logout tokens is repeated by the next message', async () => {
  const sent = { carrierMessageId: null }
  const open = vi
    .fn()
    .mockImplementationOnce(() => {
      throw new Error('not loaded')
    })
    .mockReturnValue({ send: async () => sent })
  vi.doMock('./logout/logout-outlet.ts', () => ({ openLogoutOutlet: open }))
  const outlet = oauthServer.openOutlets?.({} as OutletNeeds).oauth_logout
  const message = { id: 'id', createdAt: new Date(0) }

  await expect(outlet?.send({}, message)).rejects.toThrow('not loaded')

  expect(await outlet?.send({}, message)).toBe(sent)
  expect(await outlet?.send({}, message)).toBe(sent)
  expect(open).toHaveBeenCalledTimes(2)
})

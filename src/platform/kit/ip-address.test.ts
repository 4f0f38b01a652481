import { expect, it } from 'vitest'
import { isGlobal } from './ip-address.ts'

it.each([
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2606:4700::1111',
  '2001:4860:4860::8888',
])('%s is public', (address) => {
  expect(isGlobal(address)).toBe(true)
})

it.each([
  '64:ff9b::a00:1',
  '64:ff9b::1',
  '64:ff9b::8.8.8.8.nip.io',
  '2001:1ff::1',
  '3fff::1',
  '4000::1',
  '::8.8.8.8',
  'fec0::1',
  '100::1',
  '',
  'localhost',
  '168.63.129.16',
  '::ffff:168.63.129.16',
])('%s is not', (address) => {
  expect(isGlobal(address)).toBe(false)
})

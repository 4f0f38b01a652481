import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../../../test/support/server-process.ts'
import { type Logger, silentLogger } from '../logger.ts'
import { type NetworkInterfaces, openPrometheus } from './prometheus-server.ts'

const loopback = { lo: [{ family: 'IPv4', internal: true }] }
const external = { ...loopback, eth0: [{ family: 'IPv4', internal: false }] }
const externalIpv6 = { ...loopback, eth0: [{ family: 'IPv6', internal: false }] }

async function warningsOf(host: string | null, interfaces: NetworkInterfaces): Promise<unknown[]> {
  const warnings: unknown[] = []
  const logger: Logger = {
    ...silentLogger,
    warn: (fields, message) => warnings.push([message, fields]),
  }
  const reader = await openPrometheus({ host, port: 0 }, logger, () => interfaces)
  await reader.shutdown()
  return warnings
}

describe('the port of Prometheus', () => {
  it('causes a warning if other machines reach it, and no address was set', async () => {
    expect(await warningsOf(null, external)).toEqual([
      [
        expect.stringMatching(/other machines.*OTEL_EXPORTER_PROMETHEUS_HOST/),
        { host: '0.0.0.0', port: expect.any(Number) },
      ],
    ])
  })

  it.each([
    ['the address was set', '0.0.0.0', external],
    ['it is that of this machine', '127.0.0.1', external],
    ['the machine has loopback interfaces only', null, loopback],
    ['no other interface has IPv4', null, externalIpv6],
  ])('causes no warning if %s', async (_case, host, interfaces) => {
    expect(await warningsOf(host, interfaces)).toEqual([])
  })
})

it('accepts 16 connections, since more would use up the file descriptors of the process', async () => {
  const port = await freePort()
  const reader = await openPrometheus({ host: '127.0.0.1', port }, silentLogger)
  const sockets = Array.from({ length: 40 }, () =>
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  )
  // One whose headers are late gets a response.
  const rejected = () => sockets.filter(({ closed, bytesRead }) => closed && bytesRead === 0)
  await expect.poll(() => rejected().length).toBe(24)
  for (const socket of sockets) socket.destroy()
  const post = () => fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })
  const statusOf = async () => (await post().catch(() => null))?.status
  await expect.poll(statusOf).toBe(405)
  await reader.shutdown()
})

import { describe, expect, it } from 'vitest'
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

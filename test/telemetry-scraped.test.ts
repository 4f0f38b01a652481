import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { freePort } from './support/server-process.ts'
import { startTestAuth, testPassword } from './support/test-auth.ts'

// Tests with Prometheus itself, and its tool for rules. Debian has both: apt-get install
// prometheus.

const rules = join(import.meta.dirname, '../docs/prometheus/alerts.yaml')

function isInstalled(command: string): boolean {
  const is = spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
  if (is) return true
  const words = `${command} is not installed: what it makes of our metrics is not tested`
  process.stderr.write(`\n${words}\n`)
  return false
}

interface Sample {
  metric: Record<string, string>
  value: [at: number, value: string]
}

/** Starts Prometheus as a process, which reads a port every second and has our rules. */
async function startPrometheus(target: string) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-prometheus-'))
  const config = join(folder, 'prometheus.yaml')
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [
        { job_name: 'latchkey', metrics_path: '/', static_configs: [{ targets: [target] }] },
      ],
    }),
  )
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const ask = async (path: string) => {
    const answer = await fetch(`http://${address}/api/v1/${path}`)
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }
  return {
    printed: () => printed,
    query: async (query: string) =>
      (await ask(`query?query=${encodeURIComponent(query)}`))['result'] as Sample[],
    ask,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a service whose metrics Prometheus may read, and returns its port. */
async function startScraped() {
  const auth = await startTestAuth({
    telemetry: {
      metrics: { enabled: true, exporter: 'prometheus' },
      prometheus: { host: '127.0.0.1', port: 0 },
    },
  })
  await auth.auth.ready()
  const printed = auth.log.find(({ message }) => message === 'metrics are served to Prometheus')
  return { auth, place: `127.0.0.1:${printed?.fields['port']}` }
}

/** Returns the result of a query once it is not empty. */
async function eventually<T>(look: () => Promise<T[]>): Promise<T[]> {
  for (let times = 0; times < 100; times += 1) {
    const found = await look().catch(() => [])
    if (found.length > 0) return found
    await sleep(200)
  }
  return look()
}

describe.skipIf(!isInstalled('prometheus'))('Prometheus', () => {
  it('reads our port, returns the counts, and accepts our rules', async () => {
    const { auth, place } = await startScraped()
    const { email } = await auth.given.user()
    await auth.post('/token?grant_type=password', { email, password: testPassword })
    await using prometheus = await startPrometheus(place)

    const signIns = await eventually(() => prometheus.query('auth_sign_ins_total'))
    const [up] = await prometheus.query('up{job="latchkey"}')
    const slow = await prometheus.query(
      'histogram_quantile(0.99, sum by (le) (http_server_request_duration_seconds_bucket))',
    )
    const { activeTargets } = await prometheus.ask('targets')
    const { groups } = await prometheus.ask('rules')
    await auth.close()

    expect(up?.value[1], prometheus.printed()).toBe('1')
    expect(signIns).toMatchObject([
      {
        metric: { job: 'latchkey', auth_method: 'password', auth_result: 'ok' },
        value: [expect.any(Number), '1'],
      },
    ])
    expect(Number(slow[0]?.value[1])).toBeGreaterThan(0)
    expect(activeTargets).toMatchObject([{ health: 'up', lastError: '' }])
    const known = (groups as { rules: { name: string; health: string }[] }[]).flatMap(
      (group) => group.rules,
    )
    expect(known.length).toBeGreaterThan(5)
    expect(known.filter(({ health }) => health === 'err')).toEqual([])
  }, 60_000)
})

describe.skipIf(!isInstalled('promtool'))('promtool', () => {
  it('accepts our rules', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules])

    expect([status, String(stdout) + String(stderr)]).toEqual([0, expect.stringMatching(/SUCCESS/)])
  })

  it('accepts the text of our port', async () => {
    const { auth, place } = await startScraped()
    await auth.get('/health')
    const text = await (await fetch(`http://${place}/`)).text()
    await auth.close()
    const { error, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text })

    const objections = `${stdout}${stderr}`.split('\n').filter((line) => line !== '')
    expect(error).toBeUndefined()
    // The name in OpenTelemetry's conventions.
    expect(objections.filter((line) => !line.startsWith('db_client_connection_count '))).toEqual([])
  })
})

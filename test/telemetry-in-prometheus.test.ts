import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser as promql } from '@prometheus-io/lezer-promql'
import parsePrometheus from 'parse-prometheus-text-format'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import type { CounterName } from '../src/platform/observability/instruments.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

interface Family {
  name: string
  type: string
  help: string
  metrics: { value?: string; labels?: Record<string, string> }[]
}

let auth: TestAuth
let url: string
let text: string
let families: Family[]

beforeAll(async () => {
  auth = await startTestAuth({
    telemetry: {
      metrics: { enabled: true, exporter: 'prometheus' },
      prometheus: { host: '127.0.0.1', port: 0 },
    },
    hooks: { sendEmail: async () => {} },
  })
  await auth.auth.ready()
  const entry = auth.log.find(({ message }) => message === 'metrics are served to Prometheus')
  url = `http://127.0.0.1:${entry?.fields['port']}`
  await act(auth)
  text = await (await fetch(`${url}/`)).text()
  families = parsePrometheus(text) as Family[]
})
afterAll(() => auth.close())

/** Performs one of every counted action. */
async function act(service: TestAuth): Promise<void> {
  const { email } = await service.given.user()
  const credentials = { email, password: testPassword }
  const { body } = await service.post('/token?grant_type=password', credentials)
  await service.post('/token?grant_type=password', { email, password: 'a wrong password' })
  const refresh = (token: string) =>
    service.post('/token?grant_type=refresh_token', { refresh_token: token })
  const second = await refresh(body.refresh_token)
  await refresh(second.body.refresh_token)
  await refresh(body.refresh_token)
  await service.post('/recover', { email })
  await (await service.deps()).outbox.settled()
  await service.post('/verify', { type: 'recovery', token_hash: 'a'.repeat(56) })
  const { fetch: ask } = await outgoing()
  await ask()
}

/** Records outgoing requests, since no provider is requested here. */
async function outgoing() {
  const { tracedFetch } = await import('../src/credentials/external/protocol/request-provider.ts')
  const { telemetry } = await auth.deps()
  const answer = { status: 200, headers: {}, bytes: Buffer.alloc(0), text: '' }
  const ask = tracedFetch(async () => answer, telemetry)
  return {
    fetch: () => ask('https://provider.example.test/token?code=secret', { trust: 'operator' }),
  }
}

/** Returns the names of series. A histogram has several, with suffixes. */
const seriesOf = ({ name, type }: Family): string[] =>
  type === 'HISTOGRAM' ? ['_bucket', '_count', '_sum'].map((ending) => name + ending) : [name]

/**
 * Returns the labels of a series, with those that Prometheus adds. Of histograms the parser keeps
 * only the buckets.
 */
function labelsOf(name: string): Set<string> {
  const samples = text.split('\n').filter((line) => line.startsWith(`${name}{`))
  const labels = samples.flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)])
  return new Set([...labels.map(([, label = '']) => label), 'instance', 'job'])
}

describe('the metrics endpoint', () => {
  it('responds the same at / and at every other path, and to no other method', async () => {
    const [root, usual] = await Promise.all([fetch(`${url}/`), fetch(`${url}/metrics`)])
    const posted = await fetch(`${url}/`, { method: 'POST', body: 'x' })

    expect([root.status, usual.status, posted.status]).toEqual([200, 200, 405])
    expect(root.headers.get('content-type')).toContain('text/plain')
    expect(await usual.text()).toContain('auth_sign_ins_total')
  })

  it('returns text that a parser of the format reads, with the version of the service', () => {
    const find = (wanted: string) => families.find(({ name }) => name === wanted)

    expect(find('auth_sign_ins_total')).toMatchObject({
      type: 'COUNTER',
      metrics: expect.arrayContaining([
        { value: '1', labels: { auth_method: 'password', auth_result: 'ok' } },
        { value: '1', labels: { auth_method: 'password', auth_result: 'invalid_credentials' } },
      ]),
    })
    expect(find('http_server_request_duration_seconds')?.type).toBe('HISTOGRAM')
    expect(find('db_client_operation_duration_seconds')?.type).toBe('HISTOGRAM')
    expect(find('target_info')?.metrics[0]?.labels).toMatchObject({ service_name: 'latchkey' })
    expect(Object.keys(find('target_info')?.metrics[0]?.labels ?? {})).toContain('auth_version')
    expect(families.map(({ name }) => name)).toContain('nodejs_eventloop_utilization_ratio')
  })
})

interface Query {
  where: string
  text: string
}

const files = join(import.meta.dirname, '../docs/prometheus')

/** The series that exist once Redis or a replica was unavailable. */
const conditionalCounters: CounterName[] = ['auth.limits.fallbacks', 'auth.replica.skips']
const conditional = conditionalCounters.map((name) => `${name.replaceAll('.', '_')}_total`)

function dashboardQueries(): Query[] {
  const { panels } = JSON.parse(readFileSync(join(files, 'grafana-dashboard.json'), 'utf8'))
  return panels.flatMap(
    ({ title, targets = [] }: { title: string; targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => ({ where: title, text: expr })),
  )
}

function alertQueries(): Query[] {
  const { groups } = parseYaml(readFileSync(join(files, 'alerts.yaml'), 'utf8'))
  return groups.flatMap(({ rules }: { rules: { alert: string; expr: string }[] }) =>
    rules.map(({ alert, expr }) => ({ where: alert, text: expr })),
  )
}

/** Returns the series of a query, each with its labels. */
function readQuery({ text }: Query) {
  const wanted: { name: string; labels: string[] }[] = []
  const errors: string[] = []
  const grouped: string[] = []
  // Grafana replaces this variable before the query.
  const query = text.replaceAll('$__rate_interval', '5m')
  promql.parse(query).iterate({
    enter: ({ name, from, to, node }) => {
      const words = query.slice(from, to)
      if (node.type.isError) errors.push(`${from}: ${words}`)
      if (name === 'GroupingLabels')
        grouped.push(
          ...words
            .slice(1, -1)
            .split(',')
            .map((one) => one.trim()),
        )
      if (name === 'VectorSelector') {
        const [metric = '', inBraces = ''] = words.split(/[{}]/)
        const labels = [...inBraces.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label)
        wanted.push({ name: metric, labels })
      }
    },
  })
  return { wanted, errors, grouped: grouped.filter((label) => label !== '') }
}

describe.each([
  ['the dashboard', dashboardQueries()],
  ['the alerts', alertQueries()],
])('%s', (_what, queries) => {
  it('contains valid queries for existing series and labels', () => {
    const known = new Set([...families.flatMap(seriesOf), ...conditional])
    expect(queries.length).toBeGreaterThan(5)
    for (const query of queries) {
      const { wanted, errors, grouped } = readQuery(query)
      expect(errors, query.where).toEqual([])
      expect(wanted.length, query.where).toBeGreaterThan(0)
      for (const { name, labels } of wanted) {
        expect(known, query.where).toContain(name)
        for (const label of labels)
          expect(labelsOf(name), `${query.where}: ${name}`).toContain(label)
      }
      const available = new Set(wanted.flatMap(({ name }) => [...labelsOf(name)]))
      for (const label of grouped) expect(available, query.where).toContain(label)
    }
  })
})

it('uses every metric of ours', () => {
  const shown = [...dashboardQueries(), ...alertQueries()].flatMap(
    (query) => readQuery(query).wanted,
  )
  const names = new Set(shown.map(({ name }) => name))
  const ours = families.filter(({ name }) => /^(auth|http|db)_/.test(name))

  expect(readdirSync(files).toSorted()).toEqual(['alerts.yaml', 'grafana-dashboard.json'])
  expect(ours.filter((family) => !seriesOf(family).some((name) => names.has(name)))).toEqual([])
})

it('is documented with the first steps after each alert', () => {
  const page = readFileSync(join(files, '../operations.md'), 'utf8')
  const [, section = ''] = /\n## Respond to an alert\n([\s\S]*?)\n## /.exec(page) ?? []
  const documented = section.match(/(?<=`)Latchkey\w+(?=`)/g) ?? []
  const metrics = section.match(/(?<=`)(?:auth|http|db|nodejs)_\w+(?=`)/g) ?? []
  const known = [...families.map(({ name }) => name), ...conditional]

  expect(documented.toSorted()).toEqual(
    alertQueries()
      .map(({ where }) => where)
      .toSorted(),
  )
  expect(metrics.filter((name) => !known.includes(name))).toEqual([])
})

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = `
  import cluster from 'node:cluster'
  import { openSync } from 'node:fs'
  import { spawnMember } from ${JSON.stringify(new URL('./spawn-member.ts', import.meta.url).href)}

  cluster.setupPrimary({ exec: '/dev/null' })
  try { for (;;) openSync('/dev/null') } catch {}
  const { started, ended } = spawnMember({ slot: 1 }, { onEnd() {} }, { async follow() {} })
  const { reason } = await started
  await ended
  console.log(JSON.stringify({ reason, workers: Object.keys(cluster.workers).length }))`

it('keeps no worker whose process was not created, as without a file descriptor', async () => {
  const node = [
    process.execPath,
    '--experimental-strip-types',
    '--input-type=module',
    '--eval',
    script,
  ]
  const { stdout } = await promisify(execFile)('bash', [
    '-c',
    'ulimit -n 100; exec "$@"',
    '-',
    ...node,
  ])

  expect(JSON.parse(stdout)).toEqual({
    reason: expect.stringMatching(/^not created: .* EMFILE$/),
    workers: 0,
  })
})

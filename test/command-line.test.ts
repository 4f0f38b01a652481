import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { runCli } from './support/cli-process.ts'

describe('H32: the command line', () => {
  // Without settings, the commands would end with an error if they ran.
  it.each([
    [
      ['serve', '--help'],
      /^Usage:\n {2}latchkey serve \[--workers N\|auto]\n[\s\S]* {2}AUTH_DATABASE_URL /,
    ],
    [['help', 'keys'], /^ {2}latchkey keys retire ID$/m],
    [['openapi', '--base-path', '/auth'], /"servers": \[\n *\{\n *"url": "\/auth"/],
    [['openapi', '--base-path', '/auth/'], /"servers": \[\n *\{\n *"url": "\/auth"/],
    [['openapi', '--base-path', '/'], /"servers": \[\n *\{\n *"url": "\/"/],
    [['--version'], new RegExp(`^${manifest.version.replaceAll('.', '\\.')}\n$`)],
  ])('prints help and has no other effect: %j', async (args, expected) => {
    const { code, output } = await runCli(args)
    expect([code, output]).toEqual([0, expect.stringMatching(expected)])
  })

  it.each([
    [
      ['serve', '--port', '1'],
      /^serve: unknown option --port; set AUTH_PORT in the environment\n\nUsage:\n {2}latchkey serve \[--workers N\|auto]\n.*\n$/,
    ],
    [['sevre'], /^unknown command: sevre; did you mean serve\?\n\nUsage: .*\n$/],
  ])('rejects unknown words, with the usage of that command only: %j', async (args, expected) => {
    const { code, output } = await runCli(args)
    expect([code, output]).toEqual([2, expect.stringMatching(expected)])
  })
})

/** Writes docs/commands.md from the usage in src/standalone/usage.ts: `npm run docs`. */

import { commandUsages } from '../src/standalone/usage.ts'
import { withContents } from './contents.ts'

const introduction = `# Commands

<!-- Written by scripts/write-commands.ts from src/standalone/usage.ts. Run npm run docs. -->

Look up the commands of \`latchkey\` and their arguments. In a project that has installed Latchkey it is \`npx latchkey COMMAND\`; \`latchkey\` alone is \`latchkey serve\`. In a clone of the repository it is
\`node dist/standalone/cli.js COMMAND\`, after \`npm run build\`.

Settings are read from the environment, from the files of \`--config-dir DIR\`, which every command accepts, and from \`.env\`:
[Configuration](configuration.md). \`admin\`, \`clients\`, \`doctor\`, \`import\`, \`keys\`, \`lists\`, \`mail\`, \`migrate\`, \`outbox\`, \`providers\` and \`why\` also use settings in code, with \`--config FILE\`:
[Operations](operations.md#run-a-command-with-the-settings-that-it-uses). Words in capitals stand for values, \`[…]\` is optional, and \`|\` separates alternatives. With
\`--json\`, where it is listed, a command writes its result for programs.

A command exits with 0 on success, and with 2 for an invalid command line: an unknown or missing word or option, a value that violates a rule, or nothing
to change. It exits with 1 if something else was rejected or failed.
`

/** Pages with more about the commands that begin with a word. */
const pages: Readonly<Record<string, string>> = {
  dev: '[Development](development.md)',
  admin: '[Users, for operators](users.md)',
  outbox: '[Outbox](outbox.md)',
  lists: '[Subscription pages](subscribe-pages.md)',
  clients: '[OAuth server](oauth-server.md)',
  providers: '[External providers](providers.md)',
  mail: '[Mail](mail.md)',
  sql: '[SQL files](sql.md)',
  why: '[Operations](operations.md)',
  doctor: '[Operations](operations.md)',
  openapi: '[Endpoints](endpoints.md)',
}

export function renderCommands(): string {
  const byWord = Map.groupBy(commandUsages, ({ name }) => name.split(' ')[0] ?? name)
  const parts = [...byWord].map(([word, same]) => {
    const entries = same.map(({ name, takes, does }) => {
      const line = `latchkey ${name} ${takes}`.trimEnd()
      return `\`\`\`text\n${line}\n\`\`\`\n\n${sentence(does)}\n`
    })
    const more = pages[word] ? [`More: ${pages[word]}.\n`] : []
    return [`## ${word}\n`, ...entries, ...more].join('\n')
  })
  return withContents([introduction, ...parts].join('\n'), '[Texts of the pages](page-texts.md)')
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

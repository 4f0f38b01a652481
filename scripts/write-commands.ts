/** Makes docs/commands.md of what `latchkey help` says: `npm run docs`. */

import { commandUsages } from '../src/standalone/usage.ts'

const introduction = `# Commands

<!-- Written by scripts/write-commands.ts from src/standalone/usage.ts. Run npm run docs. -->

Every command of \`latchkey\`, and what it takes. In a project that has installed Latchkey it is \`npx latchkey COMMAND\`; \`latchkey\` alone is \`latchkey serve\`. In a clone of the repository it is
\`node dist/standalone/cli.js COMMAND\`, after \`npm run build\`.

Settings come from the environment, from the files of \`--config-dir DIR\`, which any command takes, and from \`.env\`:
[Configuration](configuration.md). Words in capitals stand for values, \`[…]\` may be left out, and \`|\` separates what one may choose from. With
\`--json\` a command writes its result for programs.

A command exits with 0 when all went well, with 1 when something was refused or failed, and with 2 for a wrong command line.
`

/** What says more about the commands that begin with a word. */
const pages: Readonly<Record<string, string>> = {
  dev: '[Development](development.md)',
  admin: '[Users, for operators](users.md)',
  outbox: '[Outbox](outbox.md)',
  lists: '[Subscription pages](subscribe-pages.md)',
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
  return [introduction, ...parts].join('\n')
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

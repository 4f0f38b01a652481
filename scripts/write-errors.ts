/** Generates docs/errors.md from the meanings of the codes: `npm run docs`. */

import { commonErrors } from '../src/endpoints/http/endpoint.ts'
import type { AuthErrorCode } from '../src/platform/errors/auth-error.ts'
import { type ErrorMeaning, errorTopics } from '../src/platform/errors/error-meaning.ts'
import { errorMeanings } from '../src/platform/errors/error-meanings.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { withContents } from './contents.ts'
import { headingOf, linkToHeading } from './write-endpoints.ts'

const introduction = `# Errors

<!-- Written by scripts/write-errors.ts from src/platform/errors/error-meanings.ts. Run npm run docs. -->

Look up the code of an error: its meaning, and what to do. Codes stay the same between minor versions; the message is in English, for developers, and may change. On the wire:

\`\`\`json
{ "code": 403, "error_code": "otp_expired", "msg": "Token has expired or is invalid", "request_id": "4f0e…" }
\`\`\`

A request with \`X-Supabase-Api-Version: 2024-01-01\` gets the newer form, which the clients of \`@supabase/auth-js\` request: \`code\` is the code,
and \`message\` the message. With status 429 and 503 the header \`Retry-After\` contains the seconds to wait. \`request_id\` identifies
the request in the log and for \`latchkey why\`: [Operations](operations.md).

In code the same errors are thrown:

<!-- given: auth, email, password -->
\`\`\`ts
import { AuthError } from 'latchkey'

try {
  await auth.api.signInWithPassword({ email, password })
} catch (error) {
  if (!(error instanceof AuthError)) throw error // a fault, such as a lost connection
  console.log(error.code, error.status, error.message, error.details.retryAfterSeconds)
}
\`\`\`

The sentences of the service's own pages are in English, German and French, for forms of your application:

\`\`\`ts
import { errorText } from 'latchkey/error-texts'

errorText({ code: 'same_password' }, ['de-AT', 'en']) // 'Wählen Sie ein anderes Passwort als das aktuelle.'
\`\`\`

With \`@supabase/auth-js\` it is \`error.code\`:

\`\`\`js
const { data, error } = await client.signInWithPassword({ email, password })
if (error?.code === 'email_not_confirmed') showHowToConfirm()
\`\`\`

Settings have their names in the environment. [Configuration](configuration.md) contains the names in code, such as \`phone.enabled\` for
\`AUTH_EXTERNAL_PHONE_ENABLED\`.

A minor version may add codes. For a code that your application does not know, log the message and show a general text, as \`errorText\` does. Only the
messages of your own [hooks](hooks.md) are for users.
`

export function renderErrors(): string {
  const parts = errorTopics.map((topic) => {
    const entries = Object.entries(errorMeanings).filter(([, meaning]) => meaning.topic === topic)
    const texts = entries
      .sort(([one], [other]) => one.localeCompare(other, 'en'))
      .map(([code, meaning]) => renderMeaning(code as AuthErrorCode, meaning))
    return [`## ${topic}\n`, ...texts].join('\n')
  })
  return withContents([introduction, ...parts].join('\n'), '[Commands](commands.md)')
}

function renderMeaning(code: AuthErrorCode, meaning: ErrorMeaning): string {
  const { statuses, means, client, developer, operator } = meaning
  const todo = [
    client && `- **The application:** ${client}`,
    developer && `- **The developer:** ${developer}`,
    operator && `- **The operator:** ${operator}`,
    answeredBy(code),
  ].filter(Boolean)
  return `### ${code}\n\n**${statuses.join(', ')}.** ${means}\n\n${todo.join('\n')}\n`
}

/** Returns the endpoints of a code, unless almost all have it. */
function answeredBy(code: AuthErrorCode): string {
  const own = endpoints.filter((endpoint) => endpoint.errors.includes(code))
  const isCommon = endpoints.some((endpoint) => commonErrors(endpoint).includes(code))
  const headings = [...new Set(own.map(headingOf))]
  if (isCommon || headings.length === 0 || headings.length > 8) return ''
  return `- **From:** ${headings.map(linkToHeading).join(', ')}`
}

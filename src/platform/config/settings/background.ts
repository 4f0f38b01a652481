import { boolean } from '../parsers/choices.ts'
import { waitUntil } from '../parsers/code-only.ts'
import { seconds } from '../parsers/numbers.ts'
import { live } from '../setting.ts'

export const backgroundSettings = [
  live('background.frozenBetweenRequests', {
    env: 'BACKGROUND_FROZEN_BETWEEN_REQUESTS',
    gotrue: [],
    parser: boolean,
    default: false,
    description:
      'Whether the process is suspended between requests, as on serverless hosts: `docs/serverless.md`.',
  }),
  live('background.answerDelaySeconds', {
    env: 'BACKGROUND_ANSWER_DELAY',
    gotrue: [],
    parser: seconds({ min: 0.1, max: 60 }),
    default: 2,
    description:
      'How long a response waits for its messages if the process is suspended after it; responses of sign-up, codes and links always take this long.',
  }),
  live('background.waitUntil', {
    env: null,
    parser: waitUntil,
    default: null,
    description:
      'Function that extends the process’s lifetime until the work after a response has ended.',
  }),
]

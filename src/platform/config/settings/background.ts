import { boolean } from '../kinds/choices.ts'
import { waitUntil } from '../kinds/code-only.ts'
import { seconds } from '../kinds/numbers.ts'
import { live } from '../setting.ts'

export const backgroundSettings = [
  live('background.frozenBetweenRequests', {
    env: 'BACKGROUND_FROZEN_BETWEEN_REQUESTS',
    gotrue: [],
    kind: boolean,
    default: false,
    description:
      'Whether the process is suspended between requests, as on serverless hosts: `docs/serverless.md`.',
  }),
  live('background.answerDelaySeconds', {
    env: 'BACKGROUND_ANSWER_DELAY',
    gotrue: [],
    kind: seconds({ min: 0.1, max: 60 }),
    default: 2,
    description:
      'How long a response waits for its messages if the process is suspended after it; responses of sign-up, codes and links always take this long.',
  }),
  live('background.waitUntil', {
    env: null,
    kind: waitUntil,
    default: null,
    description:
      'Function that extends the process’s lifetime until the work after a response has ended.',
  }),
]

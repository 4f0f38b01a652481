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
      'Whether nothing runs between requests, as on serverless hosts: `docs/serverless.md`.',
  }),
  live('background.answerDelaySeconds', {
    env: 'BACKGROUND_ANSWER_DELAY',
    gotrue: [],
    kind: seconds({ min: 0.1, max: 60 }),
    default: 2,
    description:
      'How long an answer waits for its messages, where nothing runs after it; sign-up, codes and links always take as long.',
  }),
  live('background.waitUntil', {
    env: null,
    kind: waitUntil,
    default: null,
    description:
      'Function that keeps the process running until what goes on after an answer has ended.',
  }),
]

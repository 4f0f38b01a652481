import { PasswordScoreMissingError } from '../../platform/errors/start-errors.ts'
import type { PasswordWeakness } from './password-errors.ts'

/** Estimates how hard a password is to guess. */
export type FindLowScore = (password: string) => PasswordWeakness | null

/**
 * Of more characters than these a score takes seconds, in which nobody else is answered. Whoever has so many without a
 * pattern has the best score.
 */
const scoredLength = 24

/** In how many ways at most digits and signs are read as letters. */
const maxSubstitutions = 10

/**
 * @param minScore the least score, from 1 to 4.
 * @returns what finds passwords that are below it. Loads packages that are optional.
 * @throws PasswordScoreMissingError when they are not installed.
 */
export async function openStrengthScore(minScore: number): Promise<FindLowScore> {
  const { core, common, english } = await importPackages()
  const scorer = new core.ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    maxLength: scoredLength,
    l33tMaxSubstitutions: maxSubstitutions,
  })
  return (password) => (scorer.check(password).score >= minScore ? null : guessable)
}

const guessable: PasswordWeakness = {
  message: 'Password is easy to guess, please choose a longer or less common one.',
  reasons: ['characters'],
}

async function importPackages() {
  try {
    const [core, common, english] = await Promise.all([
      import('@zxcvbn-ts/core'),
      import('@zxcvbn-ts/language-common'),
      import('@zxcvbn-ts/language-en'),
    ])
    return { core, common, english }
  } catch (error) {
    throw new PasswordScoreMissingError(
      'passwords.minScore needs the packages @zxcvbn-ts/core, @zxcvbn-ts/language-common and ' +
        '@zxcvbn-ts/language-en, version 4: install them, or leave it out',
      { cause: error },
    )
  }
}

import { PasswordScoreMissingError } from '../../platform/errors/start-errors.ts'
import type { PasswordWeakness } from './password-errors.ts'

/** Returns a weakness if a password is easy to guess. */
export type FindLowScore = (password: string) => PasswordWeakness | null

/**
 * The number of characters that are scored. More would take seconds and block the thread. A
 * password with this number of characters and no pattern has the best score.
 */
const scoredLength = 24

/** The maximum number of variants in which digits and signs are read as letters. */
const maxSubstitutions = 10

/**
 * Loads the optional packages.
 *
 * @param minScore the minimum score, from 1 to 4.
 * @returns a function that finds passwords with a lower score.
 * @throws PasswordScoreMissingError when the packages are not installed.
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

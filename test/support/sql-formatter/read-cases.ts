import { readFileSync } from 'node:fs'

/** Returns the lines of a file in this folder. */
export const readCases = <Case>(name: string): Case[] =>
  readFileSync(new URL(`${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

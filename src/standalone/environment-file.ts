import { existsSync } from 'node:fs'

/** Adds what `.env` in the working folder says and the environment does not. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env')
}

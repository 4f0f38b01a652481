import { version } from '../../kit/version.ts'

/** `latchkey version` */
export function printVersion(): void {
  process.stdout.write(`${version}\n`)
}

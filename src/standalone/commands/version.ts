import { version } from '../../platform/kit/version.ts'
import { rejectArguments } from '../terminal/parse-flags.ts'

/** `latchkey version` */
export function printVersion(args: string[]): void {
  rejectArguments('version', args)
  process.stdout.write(`${version}\n`)
}
